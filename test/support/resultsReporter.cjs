// Mocha's spec reporter, which also writes its lines and counts to the file named by MILLRACE_RESULTS_FILE: in the extension
// host the console is not ours, and the scripts add the counts up.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { inspect, format } = require('node:util');
const Mocha = require('mocha');

const patienceInMs = 20_000;

/** What tests put something else in the place of. One that stays would make later tests of other files fail now and then. */
/** @type {[name: string, get: () => unknown][]} */
const replaced = [
  ...['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'queueMicrotask'],
  ...['Date', 'fetch', 'crypto', 'navigator', 'window', 'document'],
].map((name) => [name, () => globalThis[name]]);
replaced.push(['Date.now', () => Date.now], ['performance.now', () => performance.now]);
replaced.push(['console.error', () => console.error], ['Math.random', () => Math.random]);
const usual = replaced.map(([, get]) => get());

class ResultsReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    const lines = [];
    const file = process.env.MILLRACE_RESULTS_FILE;
    const inExtensionHost = process.env.MILLRACE_IN_EXTENSION_HOST === '1';
    const log = Mocha.reporters.Base.consoleLog;
    Mocha.reporters.Base.consoleLog = (...args) => {
      lines.push(format(...args));
      if (!inExtensionHost) log(...args);
    };
    super(runner, options);
    const files = {};
    const count = (kind) => (test) => {
      const counts = (files[test.file] ??= { passed: 0, failed: 0, skipped: 0 });
      counts[kind] += 1;
    };
    // Mocha passes over what nobody handles. A file that is run again is counted anew, with all that failed in it.
    const lost = [];
    const lose = (failure) => {
      lost.push(failure);
      count('failed')(failure);
    };
    runner.on('pass', count('passed'));
    runner.on('fail', count('failed'));
    runner.on('pending', count('skipped'));
    const seen = new Set();
    let current;
    runner.on('test', (test) => (current = test));
    const onLost = (error) => {
      // Mocha hands on what Node has told already.
      if (seen.size === seen.add(error).size) return;
      const title = `an error that nobody handled, during or before "${current?.fullTitle() ?? 'the first test'}"`;
      log(`      ${title}: ${error?.stack ?? inspect(error)}`);
      lose({ title, error: error?.stack ?? inspect(error), file: current?.file });
    };
    // A window that is closed rejects what was still asked of it, so this is for the tests without one.
    if (path.basename(file ?? '') === 'unit.json') {
      process.on('unhandledRejection', onLost);
      runner.on('suite end', (suite) => {
        if (!suite.parent?.root) return;
        for (const [index, [name, get]] of replaced.entries()) {
          const now = get();
          if (now === usual[index]) continue;
          usual[index] = now;
          lose({ title: `${suite.fullTitle()} leaves another ${name}`, error: '', file: suite.file });
        }
      });
    }
    runner.once('end', () => {
      if (file === undefined) return;
      const { passes, pending } = this.stats;
      const failures = this.stats.failures + lost.length;
      const failed = this.failures.map((test) => ({
        title: test.fullTitle(),
        error: test.err?.stack ?? inspect(test.err),
        file: test.file,
      }));
      failed.push(...lost);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      const write = (number) => {
        const results = { passed: passes, failed: number, skipped: pending, failures: failed, lines, files };
        fs.writeFileSync(file, JSON.stringify(results, undefined, 1));
      };
      write(failures);
      if (inExtensionHost) return;
      // Fires only if something that a test opened keeps the process from ending, which would keep a build waiting for ever.
      setTimeout(() => {
        const error = `Still open: ${process.getActiveResourcesInfo().join(', ')}`;
        console.error(`The tests are over, but the process does not end. ${error}`);
        // A test that failed may have left it open, and is what is to be looked into.
        if (failures > 0) process.exit(1);
        failed.push({ title: 'the process ends after the tests', error });
        write(1);
        process.exit(1);
      }, patienceInMs).unref();
    });
  }
}

module.exports = ResultsReporter;
