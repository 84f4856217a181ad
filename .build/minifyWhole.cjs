// The last step of a production build.
const { minify } = require('terser');
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
    const { code, map } = await minify(
      { [name]: fs.readFileSync(file, 'utf8') },
      // Each function keeps its `length` and code its getters: only what is the same for every caller is changed.
      {
        ecma: 2020,
        toplevel,
        compress: { passes: 3, ecma: 2020, inline: 1, keep_fargs: false, sequences: false },
        sourceMap: true,
      },
    );
    fs.writeFileSync(file, code);
    if (!fs.existsSync(`${file}.map`)) continue;
    const ofFile = path.join(maps, path.posix.relative('dist', name));
    fs.mkdirSync(path.dirname(ofFile), { recursive: true });
    fs.renameSync(`${file}.map`, `${ofFile}.map`);
    fs.writeFileSync(`${ofFile}.minified.map`, map);
  }
}

module.exports = { minifyWhole };
