import fs from 'node:fs';
import path from 'node:path';
// Builds dist/: the extension, the command line and the service's worker for Node, the pages of the webviews for the browser, and the
// programs in other languages that the service starts. Options: --production (minified), --watch. The metafile goes to out/meta.json.
import * as esbuild from 'esbuild';

const root = import.meta.dirname;
const production = process.argv.includes('--production');

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

/** The editor's API exists only in the extension host: importing it anywhere else is an error. */
const editorApi = {
  name: 'editor-api',
  setup(build) {
    build.onResolve({ filter: /^vscode$/ }, ({ importer }) => {
      const file = path.relative(root, importer).split(path.sep).join('/');
      if (/^src\/((extension|features)\.ts$|(.*\/)?host\/)/.test(file)) return { path: 'vscode', external: true };
      const text = `${file} imports vscode; only src/extension.ts, src/features.ts and folders named host may.`;
      return { errors: [{ text }] };
    });
  },
};

const nodeBuild = {
  ...common,
  entryPoints: {
    extension: 'src/extension.ts',
    millrace: 'src/cli/main.ts',
    worker: 'src/service/worker.ts',
  },
  // Chunks lie beside the entries, so that import.meta.dirname is dist/ in each of them.
  chunkNames: '[name]-[hash]',
  platform: 'node',
  target: 'node22.19',
  format: 'esm',
  splitting: true,
  sourcemap: true,
  sourcesContent: false,
  mainFields: ['module', 'main'],
  conditions: ['module'],
  // For Node, `yaml` offers CommonJS only, which esbuild cannot tree-shake.
  alias: { yaml: path.join(root, 'node_modules/yaml/browser/dist/index.js') },
  plugins: [editorApi],
};

/** The manuals that the chat's `/help` searches. Their pictures are not in the package. */
const manuals = ['README.md', 'src/service/README.md', 'src/cli/README.md', 'src/commands/README.md'];

function writeManuals() {
  for (const file of manuals) {
    const target = path.join(root, 'dist/manual', file);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    const text = fs.readFileSync(path.join(root, file), 'utf8');
    fs.writeFileSync(target, text.replace(/<picture>[\s\S]*?<\/picture>\n\n/g, ''));
  }
}

/** The options of everything that runs in a webview. */
export const webOptions = {
  ...common,
  platform: 'browser',
  target: 'chrome140',
  format: 'iife',
};

/**
 * `import source from 'worker:./x.ts'` is the bundled text of the file. A webview may start a worker only from a text that it holds
 * itself, because its files have another origin than the page.
 */
export const workerSources = {
  name: 'worker-sources',
  setup(build) {
    const workers = {};
    build.onResolve({ filter: /^worker:/ }, ({ path: name, resolveDir }) => ({
      path: path.join(resolveDir, name.slice('worker:'.length)),
      namespace: 'worker',
    }));
    build.onLoad({ filter: /.*/, namespace: 'worker' }, async ({ path: file }) => {
      const { outputFiles, metafile } = await esbuild.build({
        ...webOptions,
        minify: build.initialOptions.minify,
        entryPoints: [file],
        // The JSON Schema library takes its base URL from here, but the address of such a worker is not a valid one.
        define: { 'self.location': 'undefined' },
        write: false,
        sourcemap: false,
        logLevel: 'silent',
      });
      Object.assign(workers, metafile.outputs);
      const contents = `export default ${JSON.stringify(outputFiles[0].text)};`;
      return { contents, watchFiles: Object.keys(metafile.inputs).map((input) => path.join(root, input)) };
    });
    // The licences of the packages in a worker are found by the metafile.
    build.onEnd(({ metafile }) => void Object.assign(metafile?.outputs ?? {}, workers));
  },
};

const webBuild = {
  ...webOptions,
  entryPoints: [
    { in: 'src/chat/webview/main.ts', out: 'webview/chat' },
    { in: 'src/chat/webview/chat.css', out: 'webview/chat' },
    { in: 'src/runs/webview/pages.ts', out: 'webview/runs' },
    { in: 'src/runs/webview/runs.css', out: 'webview/runs' },
  ],
  // A webview can fetch no other file, so a development build carries its map.
  sourcemap: production ? false : 'inline',
  sourcesContent: false,
  plugins: [workerSources],
};

/** Files that the service reads or starts as they are. */
const copied = (outbase, ...entryPoints) => ({
  ...common,
  bundle: false,
  minify: false,
  entryPoints,
  outbase,
  loader: { '.py': 'copy', '.pl': 'copy', '.R': 'copy', '.properties': 'copy', '.css': 'copy' },
});

export const builds = [
  nodeBuild,
  webBuild,
  copied('src/service', 'src/service/python/**/*.py', 'src/service/python/**/*.R'),
  copied('src/service', 'src/service/page/*.css'),
  copied('src/service/runners', 'src/service/runners/scripts/*'),
];

async function main() {
  fs.rmSync(path.join(root, 'dist'), { recursive: true, force: true });
  // The editor looks for the texts of package.json beside it.
  fs.copyFileSync(path.join(root, 'media/l10n/package.nls.json'), path.join(root, 'package.nls.json'));
  writeManuals();
  if (process.argv.includes('--watch')) {
    for (const build of builds) await (await esbuild.context(build)).watch();
    return;
  }
  const meta = { inputs: {}, outputs: {} };
  for (const build of builds) {
    const { metafile } = await esbuild.build(build);
    Object.assign(meta.inputs, metafile.inputs);
    Object.assign(meta.outputs, metafile.outputs);
  }
  fs.mkdirSync(path.join(root, 'out'), { recursive: true });
  fs.writeFileSync(path.join(root, 'out', 'meta.json'), JSON.stringify(meta));
}

// esbuild prints its own errors.
if (process.argv[1] === import.meta.filename) await main().catch(() => (process.exitCode = 1));
