/** Runs in the extension host: loads the compiled integration tests into mocha. Compiled to `out/integration/index.js`. */
import fs from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';
import ResultsReporter from './resultsReporter.cjs';

/** Called by the editor; rejects when a test failed, which ends the editor with a failure. */
export async function run(): Promise<void> {
  process.setSourceMapsEnabled(true);
  const folder = __dirname;
  const only = JSON.parse(process.env['MILLRACE_TEST_ONLY'] ?? '[]') as string[];
  const grep = process.env['MILLRACE_TEST_GREP'];
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: 60_000,
    color: false,
    reporter: ResultsReporter,
    ...(grep === undefined ? {} : { grep }),
  });
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const isAsked = only.length === 0 || only.some((start) => name.startsWith(path.normalize(start)));
    if (!name.endsWith('.test.js') || !isAsked) continue;
    mocha.addFile(path.join(folder, name));
  }
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} failed.`);
}
