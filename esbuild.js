// Builds dist/: the extension and the local service (Node, with lazy chunks) and the pages of the webviews (browser).
// Options: --production (minified), --watch. The metafile goes to out/meta.json.
// Source maps lie beside the code, so that a debugger stops in the sources; a production build has none.
const esbuild = require('esbuild');
const fs = require('node:fs');
const path = require('node:path');
const { workerSources } = require('./test/support/workerSources.cjs');

const root = __dirname;
const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

const nodeEntries = [
  { in: 'src/extension.ts', out: 'extension' },
  { in: 'src/cli/main.ts', out: 'millrace' },
  { in: 'src/service/background/worker.ts', out: 'worker' },
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

/** What takes the place of a part that is never used: whoever calls it after all is told. */
const nothing = "export default function () { throw new Error('This part of nodemailer is left out.'); }";

/**
 * What the service never uses of nodemailer, half of it: tables of file types for attachments that are named by a file, and of mail
 * providers; other ways than SMTP and a stream, pools of connections, signatures, OAuth, proxies, and contents by their addresses.
 */
const unusedParts = {
  name: 'unused-parts',
  setup(build) {
    const replaced = new Map([
      [
        'mime-funcs/mime-types.js',
        "export const detectMimeType = () => 'application/octet-stream'; export const detectExtension = () => 'bin';",
      ],
      ['well-known/services.js', 'export const services = {};'],
      ['smtp-pool/index.js', nothing],
      ['ses-transport/index.js', nothing],
      ['sendmail-transport/index.js', nothing],
      ['json-transport/index.js', nothing],
      ['dkim/index.js', nothing],
      ['xoauth2/index.js', nothing],
      ['fetch/index.js', nothing],
      ['smtp-connection/http-proxy-client.js', nothing],
    ]);
    const left = new Set(replaced.keys());
    build.onLoad({ filter: /nodemailer[\\/]dist[\\/]esm[\\/][\w-]+[\\/][\w-]+\.js$/ }, ({ path: file }) => {
      const name = file.split(path.sep).slice(-2).join('/');
      left.delete(name);
      const contents = replaced.get(name);
      return contents === undefined ? undefined : { contents };
    });
    build.onEnd(() => {
      const texts = [...left].map((name) => ({
        text: `nodemailer has no ${name} any more: look what esbuild.js leaves out of it.`,
      }));
      return texts.length > 0 ? { errors: texts } : undefined;
    });
  },
};

/**
 * esbuild splits ES modules only, and the extension host loads CommonJS: each split file is turned into CommonJS, where
 * `import()` becomes a require at the moment it is reached. So what is behind an `import()` costs nothing until then.
 */
const toCommonJs = {
  name: 'to-common-js',
  setup(build) {
    build.onEnd(async (result) => {
      if (result.errors.length > 0) return;
      const codes = new Map();
      const maps = new Map();
      const owners = findOwners(result.metafile.outputs);
      const options = { format: 'cjs', platform: 'node', target: 'node22.19' };
      for (const { path: file, text } of result.outputFiles) {
        const name = path.relative(root, file).split(path.sep).join('/');
        const { code, map } = await esbuild.transform(requireEditorApi(text), {
          ...options,
          sourcemap: production ? false : 'external',
          sourcesContent: false,
          supported: { 'dynamic-import': false },
          logOverride: { 'empty-import-meta': 'error' },
        });
        const shared = owners.has(name) ? code : shareHelpers(code);
        codes.set(
          name,
          production ? (await esbuild.transform(shared, { ...options, minify: true })).code : sameLines(code, shared),
        );
        if (!production) maps.set(name, JSON.parse(map));
      }
      shareSmallChunks(codes, owners);
      joinStartup(codes, owners, result.metafile.outputs, maps);
      codes.set(exposeFile, exposeCode);
      fs.mkdirSync(path.join(root, 'dist'), { recursive: true });
      for (const [file, code] of codes) {
        const map = maps.get(file);
        const comment = map === undefined ? '' : `//# sourceMappingURL=${path.basename(file)}.map\n`;
        fs.writeFileSync(path.join(root, file), code + comment);
        if (map !== undefined) fs.writeFileSync(path.join(root, `${file}.map`), JSON.stringify(map));
      }
    });
  },
};

/** The service writes markdown cells without making links of bare addresses, so what finds these is not in its bundle. */
const withoutLinkify = {
  name: 'without-linkify',
  setup(build) {
    let isLeft = true;
    build.onLoad({ filter: /linkify-it[\\/]build[\\/]/ }, () => {
      isLeft = false;
      return { contents: 'export class LinkifyIt {}' };
    });
    build.onEnd(() =>
      isLeft ? { errors: [{ text: 'linkify-it is not where it was: look what esbuild.js leaves out.' }] } : undefined,
    );
  },
};

/**
 * Turned into CommonJS, each `import * as vscode` would copy the 400 members of the editor's API one by one, once for every module:
 * most of what an activation would cost. It is required once in a file instead.
 */
function requireEditorApi(code) {
  let first;
  return code.replace(/(?<=^|[;}])import\s*\*\s*as\s+([\w$]+)\s*from\s*"vscode";/gm, (_, name) => {
    const value = first ?? 'require("vscode")';
    first ??= name;
    return `var ${name} = ${value};`;
  });
}

const exposeFile = 'dist/expose.js';
const sharedFile = 'dist/shared.js';
/** In characters. */
const smallChunkLength = 8000;

/** What each file turned into CommonJS would begin with, to give its exports: a file of its own instead of dozens of copies. */
const exposeCode = `module.exports = (all) => {
  const exports = Object.defineProperty({}, '__esModule', { value: true });
  for (const name in all) Object.defineProperty(exports, name, { get: all[name], enumerable: true });
  return exports;
};
`;

/** The exports as esbuild writes them, in code that is not minified yet. */
const exportsPattern = /^var (\w+) = \{\};\n__export\(\1, (\{\n[^}]*\n\})\);\nmodule\.exports = __toCommonJS\(\1\);$/m;

function shareHelpers(code) {
  const shared = code.replace(
    exportsPattern,
    (_, name, exports) => `module.exports = require("./expose.js")(${exports});`,
  );
  return shared === code ? code : withoutUnusedHelpers(shared);
}

/** What was taken out stood before all code of ours: as many empty lines in its place keep the map of the code right. */
function sameLines(before, after) {
  return '\n'.repeat(before.split('\n').length - after.split('\n').length) + after;
}

/** Without the helpers, one declaration each, that nothing uses any more. */
function withoutUnusedHelpers(code) {
  let left = code;
  for (const name of [
    '__toCommonJS',
    '__export',
    '__copyProps',
    '__hasOwnProp',
    '__getOwnPropNames',
    '__getOwnPropDesc',
    '__defProp',
  ]) {
    const used = left.split(new RegExp(`\\b${name}\\b`)).length - 1;
    const declared = new RegExp(`^var ${name} = [^]*?;\\n(?=var |module\\.|import )`, 'm').exec(left)?.[0];
    if (declared !== undefined && used === declared.split(name).length - 1) left = left.replace(declared, '');
  }
  return left;
}

/**
 * Which entry each file is joined into. What a window loads at its start is put into two files: the entry, which the activation waits for, and
 * the features, which are built in the turn after it. Ten small files would cost several times their content to find and open.
 */
function findOwners(outputs) {
  const features = Object.keys(outputs).find((file) => outputs[file].entryPoint === 'src/features.ts');
  const owners = new Map();
  const add = (file, entry) => {
    if (owners.has(file) || outputs[file] === undefined) return;
    owners.set(file, entry);
    for (const one of outputs[file].imports) if (one.kind === 'import-statement') add(one.path, entry);
  };
  for (const entry of ['dist/extension.js', features]) if (entry !== undefined) add(entry, entry);
  return owners;
}

/** Chunks that several lazy parts share are many, and most are small: those come in one file, each a module that is run when it is asked for. */
function shareSmallChunks(codes, owners) {
  for (const [file, code] of codes)
    if (file.startsWith('dist/chunk-') && !owners.has(file) && code.length < smallChunkLength)
      owners.set(file, sharedFile);
}

function joinStartup(codes, owners, outputs, maps) {
  for (const entry of new Set(owners.values()))
    if (codes.has(entry) || entry === sharedFile) joinParts(entry, codes, owners, outputs, maps);
  leadToOwners(codes, owners);
}

/** Whoever requires a chunk that was joined asks the file that it is in: a file of its own for each would be dozens that only lead there. */
function leadToOwners(codes, owners) {
  const ownerOf = new Map([...owners].map(([file, entry]) => [path.posix.basename(file), path.posix.basename(entry)]));
  for (const [file, code] of codes)
    codes.set(
      file,
      code.replace(/\brequire\("\.\/([\w.-]+)"\)/g, (all, name) => {
        const owner = ownerOf.get(name);
        if (owner === undefined || owner === name || owner === path.posix.basename(file)) return all;
        return `require("./${owner}").part("./${name}")`;
      }),
    );
  for (const [file, entry] of owners)
    if (file !== entry) {
      codes.delete(file);
      // One of an earlier build would be packed.
      fs.rmSync(path.join(root, file), { force: true });
    }
}

/**
 * Joins a file and every chunk that it imports statically, each still a module of its own, run when it is first asked for. The chunks' own
 * files are gone: the lazy chunks and the service ask for the part that they need of it, and never run the file itself.
 */
function joinParts(entry, codes, owners, outputs, maps) {
  const parts = [...owners.keys()].filter((file) => owners.get(file) === entry && codes.has(file));
  const name = (file) => JSON.stringify(`./${path.posix.basename(file)}`);
  // In parentheses, so that the engine compiles each function at once instead of twice; not where most are never run.
  const bodies = parts.map((file) => {
    const body = `function (module, exports, require) {${codes.get(file)}\n}`;
    return `${name(file)}: ${entry === sharedFile ? body : `(${body})`}`;
  });
  const given = (outputs[entry]?.exports ?? []).map(
    (one) =>
      `Object.defineProperty(exports, ${JSON.stringify(one)}, { enumerable: true, get: () => part(${name(entry)})[${JSON.stringify(one)}] });`,
  );
  if (!production) {
    let line = 0;
    const sections = parts.map((file, index) => {
      const offset = { line, column: 0 };
      line += bodies[index].split('\n').length;
      return { offset, map: maps.get(file) };
    });
    maps.set(entry, { version: 3, file: path.posix.basename(entry), sections });
  }
  codes.set(
    entry,
    `var parts = {${bodies.join(',\n')}};
var loaded = {};
function part(name) {
  var module = loaded[name];
  if (module === undefined) {
    module = loaded[name] = { exports: {} };
    parts[name](module, module.exports, (id) => (id in parts ? part(id) : require(id)));
  }
  return module.exports;
}
exports.part = part;
${given.join('\n')}
`,
  );
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
  sourcemap: production ? false : 'inline',
  sourcesContent: false,
  write: false,
  mainFields: ['module', 'main'],
  conditions: ['module', 'import', 'require'],
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  plugins: [editorApi, unusedParts, withoutLinkify, toCommonJs],
};

const webOptions = {
  ...common,
  platform: 'browser',
  target: ['chrome140'],
  format: 'iife',
  // The browser has the table of entities that markdown-it asks for.
  alias: { entities: path.join(root, 'src', 'chat', 'webview', 'markdown', 'entities.ts') },
};

/** What the page's worker is made of: it is part of the page's file, and esbuild does not know. */
const workerInputs = {};

const webBuild = {
  ...webOptions,
  // A page of the editor asks for no other file: the map is in it.
  sourcemap: production ? false : 'inline',
  sourcesContent: false,
  entryPoints: existing(webEntries),
  plugins: [
    workerSources({ ...webOptions, logLevel: 'silent' }, ({ outputs }) =>
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
  const builds = [nodeBuild, webBuild].filter((build) => build.entryPoints.length > 0);
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
  const outputs = [...Object.keys(meta.outputs), exposeFile, sharedFile];
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
  // esbuild has printed its own errors; anything else is shown here.
  if (error.errors === undefined) console.error(error);
  process.exitCode = 1;
});
