// How the chat's page gets its worker: `import source from 'worker:./x.ts'` is the bundled text of the file. A page of the editor may
// start a worker only from a text that it holds itself, since its files have another origin than the page.
const esbuild = require('esbuild');
const path = require('node:path');
const { functionsOfPage } = require('./sharedPackages.cjs');

/**
 * @param options what the worker is built with: those of the page
 * @param onBuilt is told the metafile of each worker
 */
function workerSources(options, onBuilt = () => undefined) {
  return {
    name: 'worker-sources',
    setup(build) {
      build.onResolve({ filter: /^worker:/ }, ({ path: name, resolveDir }) => ({
        path: path.join(resolveDir, name.slice('worker:'.length)),
        namespace: 'worker',
      }));
      build.onLoad({ filter: /.*/, namespace: 'worker' }, async ({ path: file }) => {
        const { outputFiles, metafile } = await esbuild.build({
          ...options,
          entryPoints: [file],
          bundle: true,
          format: 'iife',
          platform: 'browser',
          write: false,
          metafile: true,
        });
        onBuilt(metafile);
        const watchFiles = Object.keys(metafile.inputs).map((input) =>
          path.resolve(options.absWorkingDir ?? '.', input),
        );
        // Behind the worker's own text, whose map counts from its first line; a function is known before it stands there.
        const ofPage = functionsOfPage(Object.keys(metafile.inputs)).map((name) => ` + globalThis.${name}`);
        return { contents: `export default ${JSON.stringify(outputFiles[0].text)}${ofPage.join('')};`, watchFiles };
      });
    },
  };
}

module.exports = { workerSources };
