// A package that both the chat's page and the service need stands in the product once: as a script that the page loads before its own
// and that Node can require. Who imports the package gets it from there.
/** The package, and the file that it becomes. */
const packageName = 'markdown-it';
const file = 'webview/markdown';
/** Where the script leaves the package in a page. */
const globalName = 'millraceMarkdown';

/** What markdown-it asks for the meaning of `&nbsp;`: a browser knows all of them, and the service has a table of those that people write. */
const entities = `
import { decodeHTMLStrict as ofBrowser } from './src/chat/webview/markdown/entities.ts';
import { decodeHTMLStrict as ofTable } from './src/service/export/entities.ts';
export const decodeHTMLStrict = typeof document === 'undefined' ? ofTable : ofBrowser;
`;

/** The build of that file. */
function sharedPackagesBuild(common) {
  return {
    ...common,
    entryPoints: [{ in: packageName, out: file }],
    platform: 'browser',
    target: ['chrome140', 'node22.19'],
    format: 'iife',
    globalName,
    footer: { js: `if (typeof module === 'object') module.exports = ${globalName};` },
    plugins: [
      {
        name: 'entities',
        setup(build) {
          build.onResolve({ filter: /^entities$/ }, () => ({ path: 'entities', namespace: 'shared' }));
          build.onLoad({ filter: /.*/, namespace: 'shared' }, () => ({
            contents: entities,
            resolveDir: common.absWorkingDir,
          }));
        },
      },
    ],
  };
}

const filter = new RegExp(`^${packageName}$`);

/** For a page, which has loaded the script before. */
const fromPage = {
  name: 'shared-packages',
  setup(build) {
    build.onResolve({ filter }, ({ path: name }) => ({ path: name, namespace: 'shared' }));
    build.onLoad({ filter: /.*/, namespace: 'shared' }, () => ({
      contents: `export default globalThis.${globalName}.default;`,
    }));
  },
};

/** For Node, whose files lie in the folder above. */
const fromNode = {
  name: 'shared-packages',
  setup(build) {
    build.onResolve({ filter }, () => ({ path: `./${file}.js`, external: true }));
  },
};

module.exports = { sharedPackagesBuild, fromPage, fromNode };
