// What the bundler's Node files become: esbuild splits ES modules only, and the extension host loads CommonJS.
// Each split file is turned into CommonJS, in which `import()` becomes a require at the moment it is reached: what is behind an `import()`
// costs nothing until then. What a window loads at its start, and the many small files, are joined, each part still a module of its own.
const esbuild = require('esbuild');
const fs = require('node:fs');
const path = require('node:path');

/** What each file turned into CommonJS would begin with, to give its exports: once in a joined file, and a file of its own for the others. */
const expose = `(all) => {
  const exports = Object.defineProperty({}, '__esModule', { value: true });
  for (const name in all) Object.defineProperty(exports, name, { get: all[name], enumerable: true });
  return exports;
};
`;
const exposeFile = 'dist/expose.js';
const exposeCode = `module.exports = ${expose}`;

/** Small files are joined in two: those that a window can ask for, and those that only the programs in a terminal and the service can. */
const windowParts = 'dist/windowParts.js';
const programParts = 'dist/programParts.js';
/** In characters. A larger one gains nothing by being joined. */
const smallLength = 16_000;

/**
 * @param startup the sources of the entries that a window loads at its start: the one that the activation waits for, and the features, which
 * are built in the turn after it. Ten small files would cost several times their content to find and open, so each entry has all it needs.
 * @returns the plugin, and the files that it writes beside those of the bundler
 */
function toCommonJs(root, { production, startup }) {
  const options = { format: 'cjs', platform: 'node', target: 'node22.19' };
  const write = async ({ errors, outputFiles, metafile: { outputs } }) => {
    if (errors.length > 0) return;
    const texts = new Map(
      outputFiles.map(({ path: file, text }) => [path.relative(root, file).split(path.sep).join('/'), text]),
    );
    withoutNeedlessImports(texts, outputs);
    const codes = new Map();
    const maps = new Map();
    const owners = findStartup(outputs, startup);
    for (const [name, text] of texts) {
      const { code, map } = await esbuild.transform(requireEditorApi(text), {
        ...options,
        sourcemap: 'external',
        sourcesContent: false,
        supported: { 'dynamic-import': false },
        logOverride: { 'empty-import-meta': 'error' },
      });
      codes.set(name, sameLines(code, shareHelpers(code)));
      maps.set(name, JSON.parse(map));
    }
    const minified = async (file) => {
      const code = `${codes.get(file)}\n${mapComment(maps.get(file))}`;
      return esbuild.transform(code, { ...options, minify: true, sourcemap: 'external', sourcesContent: false });
    };
    const lengths = new Map();
    for (const [file, code] of codes) lengths.set(file, production ? (await minified(file)).code.length : code.length);
    ownSmallFiles(lengths, owners, outputs);
    const places = requireOwned(codes, owners, outputs);
    if (production)
      for (const file of texts.keys()) {
        const { code, map } = await minified(file);
        codes.set(file, code);
        maps.set(file, JSON.parse(map));
      }
    joinOwned(codes, places, outputs, maps);
    for (const file of texts.keys())
      // One of an earlier build would be packed.
      if (!codes.has(file)) fs.rmSync(path.join(root, file), { force: true });
    codes.set(exposeFile, exposeCode);
    if (production) withoutHashes([codes, maps], outputs);
    fs.mkdirSync(path.join(root, 'dist'), { recursive: true });
    for (const [file, code] of codes) {
      const map = maps.get(file);
      const comment = map === undefined || production ? '' : `//# sourceMappingURL=${path.basename(file)}.map\n`;
      fs.writeFileSync(path.join(root, file), code + comment);
      if (map !== undefined) fs.writeFileSync(path.join(root, `${file}.map`), JSON.stringify(map));
    }
  };
  return {
    plugin: { name: 'to-common-js', setup: (build) => build.onEnd(write) },
    addedFiles: [exposeFile, windowParts, programParts],
  };
}

const isStatic = ({ kind }) => kind === 'import-statement';

/** Every file that those reach by imports of the kinds that `follow` says, themselves included. */
function reach(files, outputs, follow) {
  const reached = new Set();
  const visit = (file) => {
    if (reached.has(file) || outputs[file] === undefined) return;
    reached.add(file);
    for (const one of outputs[file].imports) if (follow(one)) visit(one.path);
  };
  for (const file of files) visit(file);
  return reached;
}

/**
 * esbuild imports in each file, for its effects, all that the file's imports import themselves. These come with them anyway: every other
 * import of such a package would only say so again.
 */
function withoutNeedlessImports(texts, outputs) {
  const pattern = /(?<=^|[;}])import ?"\.\/([\w.-]+)";/gm;
  const pathOf = (name) => `dist/${name}`;
  const isEmpty = (file) => Object.values(outputs[file].inputs).every(({ bytesInOutput }) => bytesInOutput === 0);
  const effects = new Map(
    [...texts].map(([file, text]) => [file, new Set([...text.matchAll(pattern)].map(([, name]) => pathOf(name)))]),
  );
  const used = Object.fromEntries(
    [...texts.keys()].map((file) => [
      file,
      { imports: outputs[file].imports.filter((one) => isStatic(one) && !effects.get(file)?.has(one.path)) },
    ]),
  );
  for (const [file, text] of texts) {
    const come = reach([file], used, isStatic);
    texts.set(
      file,
      text.replace(pattern, (statement, name) => {
        const one = pathOf(name);
        // As long as before: what follows in the line is where its map says.
        if (come.has(one) || isEmpty(one)) return ';'.padStart(statement.length);
        for (const each of reach([one], used, isStatic)) come.add(each);
        return statement;
      }),
    );
  }
}

/**
 * Turned into CommonJS, each `import * as vscode` would copy the 400 members of the editor's API one by one, once for every module:
 * most of what an activation would cost. It is required once in a file instead.
 */
function requireEditorApi(code) {
  let first;
  return code.replace(/(?<=^|[;}])import\s*\*\s*as\s+([\w$]+)\s*from\s*"vscode";/gm, (statement, name) => {
    const value = first ?? 'require("vscode")';
    first ??= name;
    return `var ${name}=${value};`.padEnd(statement.length);
  });
}

/** The exports as esbuild writes them, in code that is not minified yet. */
const exportsPattern = /^var (\w+) = \{\};\n__export\(\1, (\{\n[^}]*\n\})\);\nmodule\.exports = __toCommonJS\(\1\);$/m;

function shareHelpers(code) {
  const shared = code
    .replace(exportsPattern, (_, name, exports) => `module.exports = require("./expose.js")(${exports});`)
    // What is ours has its names already.
    .replace(/\b__toESM\((require\("\.\/[\w./-]+"\))\)/g, '$1');
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
    '__toESM',
    '__toCommonJS',
    '__export',
    '__copyProps',
    '__create',
    '__getProtoOf',
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

/** Which entry each file of a window's start is joined into: the first of them that needs it. */
function findStartup(outputs, startup) {
  const owners = new Map();
  for (const source of startup) {
    const entry = Object.keys(outputs).find((file) => outputs[file].entryPoint === source);
    if (entry === undefined) continue;
    for (const file of reach([entry], outputs, isStatic)) if (!owners.has(file)) owners.set(file, entry);
  }
  return owners;
}

/** Beside what starts a program, most files are small: those come together, each a module that is run when it is asked for. */
function ownSmallFiles(lengths, owners, outputs) {
  const inWindow = reach(['dist/extension.js'], outputs, () => true);
  const isStarted = (file) => !/-[A-Z0-9]{8}\.js$/.test(file);
  for (const [file, length] of lengths)
    if (!isStarted(file) && !owners.has(file) && length < smallLength)
      owners.set(file, inWindow.has(file) ? windowParts : programParts);
}

/** By what they are made of: their own names change with every byte of theirs. */
function bySource(files, outputs) {
  const sourceOf = (file) => Object.keys(outputs[file].inputs)[0] ?? file;
  return [...files].sort((one, other) => (sourceOf(one) < sourceOf(other) ? -1 : 1));
}

/**
 * Whoever requires a file that is to be joined asks the one that it will be in: by its number there.
 * @returns the files of each owner
 */
function requireOwned(codes, owners, outputs) {
  const parts = new Map();
  // What belongs together deflates best.
  for (const file of bySource(owners.keys(), outputs)) {
    const owner = owners.get(file);
    if (codes.has(file)) parts.set(owner, [...(parts.get(owner) ?? []), file]);
  }
  const places = new Map();
  for (const [owner, files] of parts)
    for (const [index, file] of files.entries()) places.set(path.posix.basename(file), { owner, index });
  for (const [file, code] of codes) {
    const own = owners.get(file) ?? file;
    const isJoined = owners.has(file);
    const lead = code.replace(/\brequire\("\.\/([\w.-]+)"\)/g, (all, name) => {
      if (isJoined && name === 'expose.js') return 'expose';
      const place = places.get(name);
      if (place === undefined) return all;
      return place.owner === own
        ? `require(${place.index})`
        : `require("./${path.posix.basename(place.owner)}").part(${place.index})`;
    });
    codes.set(file, lead);
  }
  return parts;
}

/** Joins the files of each owner. */
function joinOwned(codes, parts, outputs, maps) {
  for (const [owner, files] of parts) {
    const isStartup = files.includes(owner);
    joinParts(owner, files, codes, isStartup ? outputs[owner].exports : [], maps);
    for (const file of files) if (file !== owner) codes.delete(file);
  }
}

/**
 * Joins files into one, each still a module of its own, run when it is first asked for by its number. Whoever loads the file for a part of
 * it runs no other.
 */
function joinParts(owner, files, codes, given, maps) {
  const isStartup = files.includes(owner);
  // In parentheses, so that the engine compiles each function at once instead of twice; not where most are never run.
  const head = `${isStartup ? '(' : ''}function (module, exports, require) {`;
  const bodies = files.map((file) => `${head}${codes.get(file)}\n}${isStartup ? ')' : ''}`);
  const before = `var expose = ${expose}var parts = [`;
  let line = before.split('\n').length - 1;
  const sections = files.map((file, index) => {
    const offset = { line, column: head.length + (index === 0 ? 'var parts = ['.length : 0) };
    line += bodies[index].split('\n').length;
    return { offset, map: maps.get(file) };
  });
  maps.set(owner, { version: 3, file: path.posix.basename(owner), sections });
  const exported = given.map((one) => {
    const name = JSON.stringify(one);
    return `Object.defineProperty(exports, ${name}, { enumerable: true, get: () => part(${files.indexOf(owner)})[${name}] });`;
  });
  codes.set(
    owner,
    `${before}${bodies.join(',\n')}];
var loaded = [];
function part(index) {
  var module = loaded[index];
  if (module === undefined) {
    module = loaded[index] = { exports: {} };
    parts[index](module, module.exports, (id) => (typeof id === 'number' ? part(id) : require(id)));
  }
  return module.exports;
}
exports.part = part;
${exported.join('\n')}
`,
  );
}

/** A package holds one build: names without the bundler's hashes are shorter, and a chunk keeps its own when another one changes. */
function withoutHashes([codes, maps], outputs) {
  const hash = /-[A-Z0-9]{8}(?=\.js$)/;
  const names = new Map();
  for (const file of bySource(Object.keys(outputs), outputs)) {
    if (!codes.has(file) || !hash.test(file)) continue;
    const taken = new Set(names.values());
    let name = file.replace(hash, '');
    for (let number = 2; taken.has(name) || codes.has(name); number++) name = file.replace(hash, String(number));
    names.set(file, name);
  }
  const nameOf = (file) => names.get(file) ?? file;
  for (const [file, code] of codes)
    codes.set(
      file,
      code.replace(/(?<=["'`]\.\/)[\w.-]+\.js(?=["'`])/g, (name) => path.posix.basename(nameOf(`dist/${name}`))),
    );
  for (const all of [codes, maps])
    for (const [file, name] of names) {
      all.set(name, all.get(file));
      all.delete(file);
    }
  for (const [file, name] of names) {
    outputs[name] = outputs[file];
    delete outputs[file];
  }
  for (const { imports } of Object.values(outputs)) for (const one of imports) one.path = nameOf(one.path);
}

/** A map as the bundler takes it over from a text. */
function mapComment(map) {
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}\n`;
}

module.exports = { toCommonJs };
