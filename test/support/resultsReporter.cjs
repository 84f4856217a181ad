// Mocha's spec reporter, which also writes its lines and counts to the file named by MILLRACE_RESULTS_FILE: in the extension host the
// console is not ours, and the scripts add the counts up.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { inspect, format } = require('node:util');
const Mocha = require('mocha');

/** How long the process may take to exit after the last test. */
const patienceInMs = 20_000;

class ResultsReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    const lines = [];
    const file = process.env.MILLRACE_RESULTS_FILE;
    const inExtensionHost = process.env.MILLRACE_IN_EXTENSION_HOST === '1';
    const log = Mocha.reporters.Base.consoleLog;
    const print = (...args) => {
      lines.push(format(...args));
      if (!inExtensionHost) log(...args);
    };
    Mocha.reporters.Base.consoleLog = print;
    super(runner, options);
    runner.on('retry', (test, error) =>
      print(`      passed or failed at its second try: ${test.title} (${error?.message})`),
    );
    runner.once('end', () => {
      if (file === undefined) return;
      const failures = this.failures.map((test) => ({
        title: test.fullTitle(),
        error: test.err?.stack ?? inspect(test.err),
        file: test.file,
      }));
      const { passes: passed, pending: skipped } = this.stats;
      const write = () => {
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, JSON.stringify({ passed, failed: failures.length, skipped, failures, lines }));
      };
      write();
      if (inExtensionHost) return;
      // Fires only if something that a test opened keeps the process alive, which would keep a build waiting for ever.
      setTimeout(() => {
        const error = `Still open: ${process.getActiveResourcesInfo().join(', ')}`;
        console.error(`The tests are over, but the process does not exit. ${error}`);
        if (failures.length === 0) {
          failures.push({ title: 'the process exits after the tests', error });
          write();
        }
        process.exit(1);
      }, patienceInMs).unref();
    });
  }
}

module.exports = ResultsReporter;
