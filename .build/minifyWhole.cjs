// The last step of a production build.
const { minify } = require('terser');
const { version } = require('terser/package.json');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

/**
 * esbuild minifies a statement at a time; this looks at whole functions as well, which takes another 16 KiB off the package. A file that
 * was joined to another is not there. The maps of both steps are put aside: `npm run where` reads a stack of the package with them.
 */
async function minifyWhole(root, files) {
  const maps = path.join(root, 'out', 'maps');
  fs.rmSync(maps, { recursive: true, force: true });
  for (const name of files) {
    const file = path.join(root, name);
    if (!fs.existsSync(file)) continue;
    // What a script of a page declares at its top may be another script's; a CommonJS file has its top to itself.
    const toplevel = !name.startsWith('dist/webview/');
    // Each function keeps its `length` and code its getters: only what is the same for every caller is changed.
    const options = {
      ecma: 2020,
      toplevel,
      compress: { passes: 3, ecma: 2020, inline: 1, keep_fargs: false, sequences: false },
      sourceMap: true,
    };
    const { code, map } = await minifiedBefore(root, name, fs.readFileSync(file, 'utf8'), options);
    fs.writeFileSync(file, code);
    if (!fs.existsSync(`${file}.map`)) continue;
    const ofFile = path.join(maps, path.posix.relative('dist', name));
    fs.mkdirSync(path.dirname(ofFile), { recursive: true });
    fs.renameSync(`${file}.map`, `${ofFile}.map`);
    fs.writeFileSync(`${ofFile}.minified.map`, map);
  }
}

/** The last result of each file is kept and used again for the same text: few files differ from one build to the next, and all take 12 s. */
async function minifiedBefore(root, name, text, options) {
  const hash = createHash('sha256')
    .update(JSON.stringify([version, options, name, text]))
    .digest('hex');
  const kept = path.join(root, '.cache', 'minified', `${name.replaceAll('/', '+')}.json`);
  if (fs.existsSync(kept)) {
    const before = JSON.parse(fs.readFileSync(kept, 'utf8'));
    if (before.hash === hash) return before;
  }
  const { code, map } = await minify({ [name]: text }, options);
  fs.mkdirSync(path.dirname(kept), { recursive: true });
  // Written whole or not at all: a build must not be made of half a file.
  const temporary = `${kept}.${process.pid}`;
  fs.writeFileSync(temporary, JSON.stringify({ hash, code, map }));
  fs.renameSync(temporary, kept);
  return { code, map };
}

module.exports = { minifyWhole };
