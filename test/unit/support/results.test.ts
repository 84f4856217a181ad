import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { FileQueue } from '../../support/fileQueue.ts';
import { runMocha } from '../../support/mocha.ts';
import { out } from '../../support/paths.ts';
import { added, filesToRunAgain, type Results, withSecondRun } from '../../support/results.ts';

const first: Results = {
  passed: 7,
  failed: 2,
  skipped: 1,
  failures: [
    { title: 'a fails by accident', error: '', file: 'a.test.ts' },
    { title: 'b is wrong', error: '', file: 'b.test.ts' },
  ],
  lines: ['first'],
  files: {
    'a.test.ts': { passed: 2, failed: 1, skipped: 0 },
    'b.test.ts': { passed: 0, failed: 1, skipped: 1 },
    'c.test.ts': { passed: 5, failed: 0, skipped: 0 },
  },
};

describe('tests that are run again', () => {
  it('are the files of a few failures', () => {
    assert.deepEqual(filesToRunAgain(first), ['a.test.ts', 'b.test.ts']);
    assert.equal(filesToRunAgain({ ...first, failed: 0, failures: [] }), undefined);
    const many = Array.from({ length: 13 }, (_, index) => ({ title: `${index}`, error: '', file: 'a.test.ts' }));
    assert.equal(filesToRunAgain({ ...first, failed: 13, failures: many }), undefined);
    assert.deepEqual(filesToRunAgain({ ...first, failed: 12, failures: many.slice(1) }), ['a.test.ts']);
    assert.equal(filesToRunAgain({ ...first, failures: [{ title: 'crash', error: '' }] }), undefined);
  });

  it('count as they ended the second time, and what passed only then is named', () => {
    const second: Results = {
      passed: 3,
      failed: 1,
      skipped: 1,
      failures: [{ title: 'b is wrong', error: '', file: 'b.test.ts' }],
      lines: ['second'],
      files: { 'a.test.ts': { passed: 3, failed: 0, skipped: 0 }, 'b.test.ts': { passed: 0, failed: 1, skipped: 1 } },
    };
    assert.deepEqual(withSecondRun(first, second), {
      passed: 8,
      failed: 1,
      skipped: 1,
      failures: second.failures,
      lines: ['first', 'second'],
      files: { ...first.files, ...second.files },
      passedAgain: [first.failures[0]],
    });
  });

  it('are known by file from what mocha tells', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-results-'));
    const file = path.join(folder, 'x.test.cjs');
    fs.writeFileSync(
      file,
      "describe('x', () => { it('a', () => {}); it('b', () => { throw new Error('no'); }); it('c'); });",
    );
    try {
      const results = await runMocha({ name: `results-${process.pid}`, files: [file], quiet: true });
      assert.deepEqual(
        results.failures.map((failure) => [failure.title, failure.file]),
        [['x b', file]],
      );
      assert.deepEqual(results.files, { [file]: { passed: 1, failed: 1, skipped: 1 } });
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('what a test leaves in the place of something else', () => {
  it('is a failure of its file, which is counted anew with it', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-left-'));
    const file = path.join(folder, 'x.test.cjs');
    fs.writeFileSync(file, "describe('x', () => it('a', () => { Math.random = () => 0; }));");
    const name = `left-${process.pid}/unit`;
    try {
      const results = await runMocha({ name, files: [file], quiet: true });
      assert.deepEqual(
        results.failures.map((failure) => [failure.title, failure.file]),
        [['x leaves another Math.random', file]],
      );
      const again: Results = {
        ...results,
        failed: 0,
        failures: [],
        files: { [file]: { passed: 1, failed: 0, skipped: 0 } },
      };
      const { passed, failed, passedAgain } = withSecondRun(results, again);
      assert.deepEqual([passed, failed, passedAgain], [1, 0, results.failures]);
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
      fs.rmSync(path.join(out, path.dirname(name)), { recursive: true, force: true });
    }
  });
});

describe('files of tests that several share', () => {
  let folder: string;

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-queue-'));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

  it('run once each, the longest first, and count together', async () => {
    const log = path.join(folder, 'log');
    fs.writeFileSync(log, '');
    for (const [name, test] of Object.entries({
      short: '',
      longest: `throw new Error('as it must${' '.repeat(3000)}');`,
      long: ' '.repeat(1000),
    })) {
      // Of processes that were started one after the other, each may come to its test first.
      const write = `require('node:fs').appendFileSync(${JSON.stringify(log)}, '${name} ');`;
      const isLast = `while (!/long(?:est)? .*long(?:est)? /.test(require('node:fs').readFileSync(${JSON.stringify(log)}, 'utf8')));`;
      fs.writeFileSync(
        path.join(folder, `${name}.test.cjs`),
        `${name === 'short' ? isLast : ''} it('${name}', () => { ${write} ${test} });`,
      );
    }
    const queue = new FileQueue({
      name: `queue-${process.pid}`,
      files: [path.join(folder, '*.test.cjs')],
      quiet: true,
    });
    await Promise.all([queue.work(), queue.work()]);
    const ran = fs.readFileSync(log, 'utf8').trim().split(' ');
    assert.deepEqual(ran.toSorted(), ['long', 'longest', 'short']);
    assert.equal(ran.at(-1), 'short');
    const { passed, failed, failures } = queue.results;
    assert.deepEqual([passed, failed, failures.map(({ title }) => title)], [2, 1, ['longest']]);
  });

  it('keep the counts of each file', () => {
    const both = added([first, { ...first, files: { 'd.test.ts': { passed: 1, failed: 0, skipped: 0 } } }]);
    assert.deepEqual([both.passed, both.failed, both.skipped], [14, 4, 2]);
    assert.deepEqual(Object.keys(both.files ?? {}), ['a.test.ts', 'b.test.ts', 'c.test.ts', 'd.test.ts']);
  });
});
