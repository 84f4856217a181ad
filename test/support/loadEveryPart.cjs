// Loads every file of the package's dist, and every part of the joined ones, as `import()` would, and writes down what each exports, as JSON.
// Run by a test: `node loadEveryPart.cjs DIST RESULT`. The editor's API is a stand-in that takes everything: modules are run, no functions.
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');

const anything = new Proxy(function () {}, {
  get: (target, name) => (name === 'prototype' ? target.prototype : name === Symbol.toPrimitive ? () => '' : anything),
  apply: () => anything,
  construct: () => anything,
});
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? anything : load(name, ...rest));

const [dist, result] = process.argv.splice(2, 2, 'serve', '--help');
/** Programs: they begin to work when they are loaded. */
const programs = ['millrace.js', 'worker.js'];
// The service is one too, a part of a joined file: with this line it tells how it is used, and ends.
const exported = [];
for (const name of fs.readdirSync(dist)) {
  if (!name.endsWith('.js') || programs.includes(name)) continue;
  const loaded = require(path.join(dist, name));
  const modules = typeof loaded.part === 'function' ? partsOf(loaded.part) : [loaded];
  for (const [index, one] of modules.entries()) {
    // An export that was lost on the way to CommonJS is there by name, and is nothing.
    const names = Object.keys(one).filter((key) => key !== '__esModule');
    exported.push({ place: `${name} ${index}`, names: names.sort(), missing: names.filter((key) => isLost(one, key)) });
  }
}
fs.writeFileSync(result, JSON.stringify(exported));

function isLost(exports, key) {
  try {
    return exports[key] === undefined;
  } catch {
    return true;
  }
}

/** All parts of a joined file: it has no more if the next number is no function. */
function partsOf(part) {
  const parts = [];
  for (;;) {
    try {
      parts.push(part(parts.length));
    } catch (error) {
      // Raised by the lookup itself, whatever the minifier calls it, and not by a part.
      const isLookup = error.stack.split('\n')[2].includes(partsOf.name);
      if (isLookup && error instanceof TypeError && error.message.endsWith('] is not a function')) return parts;
      throw error;
    }
  }
}
