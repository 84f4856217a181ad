// Packages that both the chat's page and the service need stand in the product once each: as scripts that the page loads before its own and
// that Node can require. Who imports such a package gets it from there.

/** What markdown-it asks for the meaning of `&nbsp;`: a browser knows all of them, and the service has a table of those that people write. */
const entities = `
import { decodeHTMLStrict as ofBrowser } from './src/chat/webview/markdown/entities.ts';
import { decodeHTMLStrict as ofTable } from './src/service/export/entityTable.ts';
export const decodeHTMLStrict = typeof document === 'undefined' ? ofTable : ofBrowser;
`;

/** How the host of a link is written: browsers and Node can do that, and a host in letters of its own is not made to look like another. */
const hosts = `
const toASCII = (host) => (/[^\\0-\\x7f]/.test(host) ? new URL('http://' + host).hostname : host);
export default { toASCII, toUnicode: (host) => host };
`;

/** The page finds addresses by itself, and the service makes no links of them. */
const links = 'export class LinkifyIt {}';

/** Kinds of characters, which regular expressions know by now. */
const characters =
  'export const P = /\\p{P}/u; export const S = /\\p{S}/u; export const Z = /\\p{Z}/u; export const Cc = /\\p{Cc}/u;';

const inPlaceOf = { entities, 'linkify-it': links, 'punycode.js': hosts, 'uc.micro': characters };

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
        name: 'entities',
        setup(build) {
          build.onResolve({ filter: /^(?:entities|linkify-it|punycode\.js|uc\.micro)$/ }, ({ path }) => ({
            path,
            namespace: 'shared',
          }));
          build.onLoad({ filter: /.*/, namespace: 'shared' }, ({ path }) => ({
            contents: inPlaceOf[path],
            resolveDir: common.absWorkingDir,
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
