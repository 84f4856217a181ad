// Builds dist/: the extension and the local service (Node, with lazy chunks) and the pages of the webviews (browser).
// Options: --production (minified), --watch. The metafile goes to out/meta.json.
// Source maps lie beside the code, so that a debugger stops in the sources; those of a production build are in out/maps (see where.ts).
const esbuild = require('esbuild');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { toCommonJs } = require('./.build/commonJs.cjs');
const { minifyWhole } = require('./.build/minifyWhole.cjs');
const { fromNode, fromPage, sharedPackageBuilds } = require('./.build/sharedPackages.cjs');
const { lessNodemailer, lessZod } = require('./.build/unusedParts.cjs');
const { workerSources } = require('./.build/workerSources.cjs');

const root = __dirname;
const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

const nodeEntries = [
  { in: 'src/extension.ts', out: 'extension' },
  { in: 'src/cli/main.ts', out: 'millrace' },
  { in: 'src/service/worker.ts', out: 'worker' },
];
const webEntries = [
  { in: 'src/chat/webview/main.ts', out: 'webview/chat' },
  { in: 'src/chat/webview/chat.css', out: 'webview/chat' },
  { in: 'src/runs/webview/pages.ts', out: 'webview/runs' },
  { in: 'src/runs/webview/runs.css', out: 'webview/runs' },
];

/** The editor's API exists only in the extension host: a value import of it anywhere else is a defect. */
const editorApi = {
  name: 'editor-api',
  setup(build) {
    build.onResolve({ filter: /^vscode$/ }, ({ importer }) => {
      const file = path.relative(root, importer).split(path.sep).join('/');
      if (/^src\/((extension|features)\.ts$|(.*\/)?host\/)/.test(file)) return { path: 'vscode', external: true };
      return {
        errors: [
          { text: `${file} imports vscode; only src/extension.ts, src/features.ts and folders named host may.` },
        ],
      };
    });
  },
};

/**
 * A CommonJS package behind `import()` has no names once it is split off, only `default`: code that works from the sources would
 * fail in the package. Such a package is imported statically, by a module of ours that is loaded late.
 */
function refuseLazyCommonJs({ inputs }) {
  for (const [file, { imports }] of Object.entries(inputs)) {
    const wrong = imports.find((one) => one.kind === 'dynamic-import' && inputs[one.path]?.format === 'cjs');
    if (wrong)
      throw new Error(
        `${file} imports the CommonJS file ${wrong.path} with import(). Import it statically, in a module that is itself loaded late.`,
      );
  }
}

const common = {
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  minify: production,
  metafile: true,
  logLevel: 'info',
  legalComments: 'none',
  charset: 'utf8',
};

const commonJs = toCommonJs(root, { production, startup: ['src/extension.ts', 'src/features.ts'] });

const inlineMap = { sourcemap: 'inline', sourcesContent: false };

const nodeBuild = {
  ...common,
  entryPoints: existing(nodeEntries),
  // Beside the entries, so that __dirname is dist/ wherever the code lands.
  chunkNames: '[name]-[hash]',
  platform: 'node',
  target: 'node22.19',
  format: 'esm',
  splitting: true,
  // In the text, where the step to CommonJS finds it.
  ...inlineMap,
  write: false,
  mainFields: ['module', 'main'],
  conditions: ['module'],
  // For Node, the package `yaml` offers CommonJS alone, of which nothing can be left out.
  alias: {
    yaml: path.join(root, 'node_modules', 'yaml', 'browser', 'dist', 'index.js'),
  },
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  plugins: [editorApi, lessNodemailer, lessZod, fromNode, commonJs.plugin],
};

const webOptions = {
  ...common,
  platform: 'browser',
  target: ['chrome140'],
  format: 'iife',
};

/** A worker has no place of its own that the sources could be looked for from. */
const workerMap = production ? {} : { ...inlineMap, sourceRoot: pathToFileURL(path.join(root, 'dist', '/')).href };

/** What the page's worker is made of: it is part of the page's file, and esbuild does not know. */
const workerInputs = {};

const webBuild = {
  ...webOptions,
  // A page of the editor asks for no other file: the map is in it.
  sourcemap: production ? 'external' : 'inline',
  sourcesContent: false,
  entryPoints: existing(webEntries),
  plugins: [
    fromPage,
    workerSources({ ...webOptions, ...workerMap, logLevel: 'silent', plugins: [fromPage] }, ({ outputs }) =>
      Object.assign(workerInputs, ...Object.values(outputs).map(({ inputs }) => inputs)),
    ),
  ],
};

/** The entries whose source is there. What is missing is said and is not an error: the rest is built. */
function existing(entries) {
  return entries.filter((entry) => {
    const found = fs.existsSync(path.join(root, entry.in));
    if (!found)
      console.warn(
        `Not built: dist/${entry.out}${path.extname(entry.in).replace('.ts', '.js')}, for there is no ${entry.in}.`,
      );
    return found;
  });
}

async function main() {
  const builds = [nodeBuild, webBuild, ...sharedPackageBuilds({ ...common, ...(production ? {} : inlineMap) })].filter(
    (build) => build.entryPoints.length > 0,
  );
  if (watch) {
    copyPrograms();
    for (const build of builds) await (await esbuild.context(build)).watch();
    return;
  }
  const meta = { inputs: {}, outputs: {} };
  for (const build of builds) {
    const { metafile } = await esbuild.build(build);
    refuseLazyCommonJs(metafile);
    Object.assign(meta.inputs, metafile.inputs);
    Object.assign(meta.outputs, metafile.outputs);
  }
  Object.assign(meta.outputs['dist/webview/chat.js']?.inputs ?? {}, workerInputs);
  const made = [...Object.keys(meta.outputs), ...commonJs.addedFiles];
  const outputs = production ? made.filter((file) => !file.endsWith('.map')) : made;
  if (production)
    await minifyWhole(
      root,
      outputs.filter((file) => file.endsWith('.js')),
    );
  removeStale([...outputs, ...(production ? [] : outputs.map((file) => `${file}.map`)), ...copyPrograms()]);
  fs.mkdirSync(path.join(root, 'out'), { recursive: true });
  fs.writeFileSync(path.join(root, 'out', 'meta.json'), JSON.stringify(meta));
}

/**
 * Programs in other languages are files beside the bundle: where each folder of them is, and what of it is part of the product.
 * Python keeps what it has compiled there too.
 */
const programs = [
  { in: 'src/service/python', out: 'dist/python', holds: /\.(?:py|R)$/ },
  { in: 'src/service/runners/scripts', out: 'dist/scripts', holds: /\.(?:pl|R|properties)$/ },
];

/** @returns the copies, relative to the repository */
function copyPrograms() {
  return programs.flatMap((folder) => {
    const names = fs
      .readdirSync(path.join(root, folder.in), { recursive: true })
      .filter((name) => folder.holds.test(name));
    return names.map((name) => {
      const copy = path.join(folder.out, name);
      fs.mkdirSync(path.dirname(path.join(root, copy)), { recursive: true });
      fs.copyFileSync(path.join(root, folder.in, name), path.join(root, copy));
      return copy;
    });
  });
}

/** Chunks carry a hash in their names: those of earlier builds would pile up in the package. */
function removeStale(outputs) {
  const kept = new Set(outputs.map((file) => path.join(root, file)));
  const dist = path.join(root, 'dist');
  if (!fs.existsSync(dist)) return;
  for (const entry of fs.readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && !kept.has(file)) fs.rmSync(file);
  }
}

main().catch((error) => {
  // esbuild has printed its own errors, but not those of a plugin at the end; anything else is shown here.
  for (const { location, text } of error.errors ?? []) if (location === null) console.error(text);
  if (error.errors === undefined) console.error(error);
  process.exitCode = 1;
});
