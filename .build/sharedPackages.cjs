// Packages that both the chat's page and the service need stand in the product once each: as scripts that the page loads before its own and
// that Node can require. Who imports such a package gets it from there.

const { standIn } = require('./unusedParts.cjs');

const markdown = {
  name: 'markdown-it',
  exports: 'default',
  file: 'webview/markdown',
  /** Where the script leaves the package in a page. */
  globalName: 'millraceMarkdown',
  exported: 'millraceMarkdown',
  inPage: 'export default globalThis.millraceMarkdown.default;',
};

/**
 * The page checks JSON in a worker, which it may start from a text alone: a function has one, and the worker calls it.
 */
const jsonSchema = {
  name: '@cfworker/json-schema',
  exports: 'dereference, validate',
  file: 'webview/jsonSchema',
  functionName: 'millraceJsonSchema',
  globalName: 'millraceExports',
  // The package asks where the page is, and the address of a worker that has none of its own is not one with a port in it.
  banner: 'function millraceJsonSchema() { var self;',
  footer: 'return millraceExports;\n}\n',
  exported: 'millraceJsonSchema()',
  inPage: 'export const { dereference, validate } = millraceJsonSchema();',
};

const packages = [markdown, jsonSchema];

/** The builds of those files. */
function sharedPackageBuilds(common) {
  return packages.map(({ name, exports, file, globalName, banner = '', footer = '', exported }) => ({
    ...common,
    entryPoints: [{ in: `entry:${name}`, out: file }],
    platform: 'browser',
    target: ['chrome140', 'node22.19'],
    format: 'iife',
    globalName,
    banner: { js: banner },
    footer: { js: `${footer}if (typeof module === 'object') module.exports = ${exported};` },
    plugins: [
      {
        name: 'entry',
        setup(build) {
          build.onResolve({ filter: /^entry:/ }, () => ({ path: name, namespace: 'entry' }));
          build.onLoad({ filter: /.*/, namespace: 'entry' }, () => ({
            contents: `export { ${exports} } from '${name}';`,
            resolveDir: common.absWorkingDir,
          }));
        },
      },
      {
        name: 'stand-ins',
        setup(build) {
          build.onResolve({ filter: /^(?:entities|linkify-it|punycode\.js|uc\.micro)$/ }, ({ path: asked }) => ({
            path: standIn(asked.replace(/\.js$/, '')),
          }));
        },
      },
    ],
  }));
}

const filter = new RegExp(`^(?:${packages.map(({ name }) => name).join('|')})$`);

/** For a page and its workers: the page has loaded the scripts before. */
const fromPage = {
  name: 'shared-packages',
  setup(build) {
    build.onResolve({ filter }, ({ path: name }) => ({ path: name, namespace: 'shared' }));
    build.onLoad({ filter: /.*/, namespace: 'shared' }, ({ path: name }) => ({
      contents: packages.find((one) => one.name === name).inPage,
    }));
  },
};

/** For Node, whose files lie in the folder above. */
const fromNode = {
  name: 'shared-packages',
  setup(build) {
    build.onResolve({ filter }, ({ path: name }) => ({
      path: `./${packages.find((one) => one.name === name).file}.js`,
      external: true,
    }));
  },
};

/** The names of the functions of the page whose texts a worker needs, by what the bundler read for it. */
function functionsOfPage(inputs) {
  return packages
    .filter(({ name, functionName }) => functionName !== undefined && inputs.includes(`shared:${name}`))
    .map(({ functionName }) => functionName);
}

module.exports = { functionsOfPage, sharedPackageBuilds, fromPage, fromNode };
