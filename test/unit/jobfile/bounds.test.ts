import assert from 'node:assert/strict';
import { parseJobFile } from '../../../src/jobfile/services/parseJobFile.ts';
import { symbols } from '../../../src/jobfile/services/symbols.ts';
import { validateText } from '../../../src/jobfile/services/validate.ts';
import { parseDocument } from '../../../src/jobfile/yaml/document.ts';
import { maxValues } from '../../../src/jobfile/yaml/nodeValue.ts';

const job = 'name: x\nexisting_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n';
const codes = (text: string): string[] => validateText(text, { nowMs: 0 }).map(({ code }) => code);
const keys = (count: number, indent = ''): string =>
  Array.from({ length: count }, (_, index) => `${indent}k${index}: 1\n`).join('');

describe('the bounds of a job file', () => {

  it('hold for values that are written, and for those that aliases stand for', () => {
    assert.deepEqual(codes(`${job}tags:\n${keys(maxValues, '  ')}`), ['tooLarge']);
    assert.deepEqual(codes(`${job}tags:\n${keys(maxValues - 100, '  ')}`), ['foreignField']);
    const expanded = (times: number): string =>
      `${job}x-a: &a [${'1, '.repeat(1000)}]\ntags: [${'*a, '.repeat(times)}]\n`;
    assert.deepEqual(codes(expanded(maxValues / 1000)), ['tooLarge']);
    assert.equal(parseJobFile(expanded(maxValues / 1000)).settings, undefined);
    assert.deepEqual(codes(expanded(maxValues / 1000 - 2)), ['foreignField']);
    const merged = Array.from(
      { length: 20 },
      (_, level) =>
        `x-${level}: &a${level}\n  k${level}: 1\n${level === 0 ? '' : `  <<: [*a${level - 1}, *a${level - 1}]\n`}`,
    ).join('');
    assert.deepEqual(codes(`${merged}${job}tags: *a19\n`), ['tooLarge']);
  });

  it('hold for the depth, whichever reader meets it', () => {
    const nested = (depth: number, value: string): string =>
      `${job}tags: ${'['.repeat(depth)}${value}${']'.repeat(depth)}\n`;
    assert.deepEqual(
      [codes(nested(90, 'a')), codes(nested(101, 'a')), codes(nested(101, '&a a'))],
      [['foreignField'], ['tooDeep'], ['tooDeep']],
    );
  });

  it('make a text of digits without end', () => {
    for (const value of ['9'.repeat(401), `!!int ${'9'.repeat(401)}`]) {
      assert.match(
        validateText(`${job}max_retries: ${value}\n`)[0]?.message ?? '',
        /must be a whole number, and it is the text "9/,
      );
    }
    assert.match(validateText(`${job}max_retries: ${'9'.repeat(400)}\n`)[0]?.message ?? '', /it must be at most/);
    // An expression is looked at character by character.
    assert.equal(
      codes(`${job}schedule: {timezone_id: UTC, quartz_cron_expression: "x ${'0,'.repeat(3000)}0 * * * ?"}\n`).includes(
        'cron',
      ),
      false,
    );
  });

  it('leave the errors, where a file has more problems than are shown', () => {
    const libraries = Array.from(
      { length: 100 },
      (_, index) =>
        `  - jar: a\n    x${index}a: 1\n    x${index}b: 1\n    x${index}c: 1\n    x${index}d: 1\n    x${index}e: 1\n    x${index}f: 1\n`,
    ).join('');
    const found = validateText(`${job}libraries:\n${libraries}max_retries: none\n`);
    assert.deepEqual(
      [found.length, found.at(-1)?.code, found.filter(({ severity }) => severity === 'error').length],
      [500, 'wrongType', 1],
    );
  });

  it('keep lists of the same mistake short', () => {
    assert.equal(
      codes(`${job}tags: {${'a: 1, '.repeat(1000)}}\n`).filter((code) => code === 'duplicateKey').length,
      200,
    );
    assert.equal(codes(keys(300) + job).filter((code) => code === 'unknownField').length, 100);
    assert.equal(codes(`${job}${'foo\n'.repeat(1000)}`).length, 200);
    assert.equal(symbols(parseDocument(keys(5000))).length, 1000);
  });
});

