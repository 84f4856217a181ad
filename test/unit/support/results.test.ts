import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runMocha } from '../../support/mocha.ts';
import { filesToRunAgain, type Results, withSecondRun } from '../../support/results.ts';

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
    };
    assert.deepEqual(withSecondRun(first, second), {
      passed: 8,
      failed: 1,
      skipped: 1,
      failures: second.failures,
      lines: ['first', 'second'],
      passedAgain: ['a fails by accident'],
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
