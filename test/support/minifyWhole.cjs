// The last step of a production build.
const { minifySync } = require('oxc-minify');
const fs = require('node:fs');
const path = require('node:path');

/**
 * esbuild minifies a statement at a time; this looks at whole functions as well, which takes another 13 KiB off the package. A file that
 * was joined to another is not there. The maps of both steps are put aside: `npm run where` reads a stack of the package with them.
 */
function minifyWhole(root, files) {
  const maps = path.join(root, 'out', 'maps');
  fs.rmSync(maps, { recursive: true, force: true });
  for (const name of files) {
    const file = path.join(root, name);
    if (!fs.existsSync(file)) continue;
    const { code, map, errors } = minifySync(name, fs.readFileSync(file, 'utf8'), { sourcemap: true });
    if (errors.length > 0) throw new Error(`${name} could not be minified: ${errors[0].message}`);
    fs.writeFileSync(file, code);
    if (!fs.existsSync(`${file}.map`)) continue;
    const ofFile = path.join(maps, path.posix.relative('dist', name));
    fs.mkdirSync(path.dirname(ofFile), { recursive: true });
    fs.renameSync(`${file}.map`, `${ofFile}.map`);
    fs.writeFileSync(`${ofFile}.minified.map`, JSON.stringify(map));
  }
}

module.exports = { minifyWhole };
