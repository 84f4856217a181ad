// Parts of packages that the product never uses are left out. Each is named, so that another version that has it elsewhere fails the build.
const fs = require('node:fs');
const path = require('node:path');

const standIn = (name) => path.join(__dirname, 'standIns', `${name}.js`);

/** Fails the build where a package has no longer what is left out of it: it may have it elsewhere now, whole. */
function requireAll(build, name, left) {
  build.onEnd(() => {
    const errors = [...left].map((part) => ({
      text: `${name} has no ${part} any more: look what .build/unusedParts.cjs leaves out of it.`,
    }));
    return errors.length > 0 ? { errors } : undefined;
  });
}

/** Mails are plain text without attachments from files, and their addresses are given in parts. */
const ofNodemailer = new Map([
  ['mime-funcs/mime-types.js', 'nodemailer-mime-types'],
  ['fetch/index.js', 'nodemailer-unused'],
  // For lines that end as on Unix: those of mails end with CR LF.
  ['mime-node/le-unix.js', 'nodemailer-unused'],
  // For addresses in a text.
  ['addressparser/index.js', 'nodemailer-unused'],
  ['punycode/index.js', 'nodemailer-punycode'],
]);

const lessNodemailer = {
  name: 'less-nodemailer',
  setup(build) {
    const left = new Set(ofNodemailer.keys());
    build.onLoad({ filter: /nodemailer[\\/]dist[\\/]esm[\\/][\w-]+[\\/][\w-]+\.js$/ }, ({ path: file }) => {
      const name = file.split(path.sep).slice(-2).join('/');
      left.delete(name);
      const replacement = ofNodemailer.get(name);
      return replacement === undefined ? undefined : { contents: fs.readFileSync(standIn(replacement), 'utf8') };
    });
    requireAll(build, 'nodemailer', left);
  },
};

/**
 * Zod is never asked to find values that hold themselves, nor for JSON schemas of the kinds of values that we do not use, which each kind
 * in use brings along itself.
 */
const lessZod = {
  name: 'less-zod',
  setup(build) {
    const left = new Set(['core/memoizer.js', 'core/json-schema-processors.js']);
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/]memoizer\.js$/ }, () => {
      left.delete('core/memoizer.js');
      return { contents: fs.readFileSync(standIn('zod-memoizer'), 'utf8') };
    });
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/]json-schema-processors\.js$/ }, ({ path: file }) => {
      left.delete('core/json-schema-processors.js');
      const whole = fs.readFileSync(file, 'utf8');
      const contents = whole.replace(/export const allProcessors = \{[^}]*\};/, 'export const allProcessors = {};');
      if (contents === whole)
        return {
          errors: [{ text: 'zod names its kinds of JSON schemas otherwise: see lessZod in .build/unusedParts.cjs.' }],
        };
      return { contents };
    });
    requireAll(build, 'zod', left);
  },
};

module.exports = { lessNodemailer, lessZod, standIn };
