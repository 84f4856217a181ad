import assert from 'node:assert/strict';
import { quickFixes } from '../../../../src/jobfile/services/quickFixes.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import type { Problem, ProblemData } from '../../../../src/jobfile/yaml/problem.ts';
import { changed } from '../../../../src/jobfile/yaml/textChange.ts';

/** What the fixes of a problem make of a text, by their titles. */
function fixed(text: string, data: ProblemData, more: Partial<Problem> = {}): Record<string, string> {
  const problem: Problem = { code: 'x', message: '', start: 0, end: 1, severity: 'error', data, ...more };
  const document = parseDocument(text);
  return Object.fromEntries(quickFixes(problem, document).map((fix) => [fix.title, changed(text, fix.changes)]));
}

describe('what is removed by a fix', () => {
  const removed = (text: string, ...path: (string | number)[]): string | undefined =>
    Object.values(fixed(text, { removable: path }))[0];

  it('is the lines of an entry or item, with all that belongs to it', () => {
    for (const [text, path, wanted] of [
      ['a: 1\nb: 2\nc: 3\n', ['b'], 'a: 1\nc: 3\n'],
      ['a: 1\nb: 2', ['b'], 'a: 1\n'],
      ['a: 1\nb:\n  c: 1\n  d: 2\ne: 3\n', ['b'], 'a: 1\ne: 3\n'],
      ['a: 1\nb:\n  c: 1\n  d: 2\ne: 3\n', ['b', 'c'], 'a: 1\nb:\n  d: 2\ne: 3\n'],
      ['a: 1\nb:\nc: 2\n', ['b'], 'a: 1\nc: 2\n'],
      ['a: 1 # x\nb: 2 # y\n', ['a'], 'b: 2 # y\n'],
      ['l:\n- a\n- b\n- c\n', ['l', 1], 'l:\n- a\n- c\n'],
      ['l:\n  - a\n  - b', ['l', 1], 'l:\n  - a\n'],
      // The next key moves up to the dash.
      ['l:\n  - a: 1\n    b: 2\n    c: 3\n', ['l', 0, 'a'], 'l:\n  - b: 2\n    c: 3\n'],
      ['l:\n  - a: 1\n    b: 2\n', ['l', 0, 'b'], 'l:\n  - a: 1\n'],
      ['l:\n  - a: 1\n  - b: 2\n', ['l', 0, 'a'], 'l:\n  - b: 2\n'],
    ] as const)
      assert.equal(removed(text, ...path), wanted, `${text} ${path.join('.')}`);
  });

  it('is a text with its comma in brackets', () => {
    for (const [text, path, wanted] of [
      ['{a: 1, b: 2, c: 3}\n', ['a'], '{b: 2, c: 3}\n'],
      ['{a: 1 ,  b: 2, c: 3}\n', ['a'], '{b: 2, c: 3}\n'],
      ['{a: 1,b: 2,c: 3}\n', ['b'], '{a: 1,c: 3}\n'],
      ['{a: 1, b: 2, c: 3}\n', ['c'], '{a: 1, b: 2}\n'],
      ['{a: 1,\n  b: 2}\n', ['b'], '{a: 1}\n'],
      ['{a: 1}\n', ['a'], '{}\n'],
      ['x: {a: {b: 1}, c: 2}\ny: 1\n', ['x', 'a', 'b'], 'x: {a: {}, c: 2}\ny: 1\n'],
      ['l: [a, b, c]\n', ['l', 0], 'l: [b, c]\n'],
      ['l: [a, b, c]\n', ['l', 2], 'l: [a, b]\n'],
      ['l: [a]\nm: [b, c]\n', ['l', 0], 'l: []\nm: [b, c]\n'],
    ] as const)
      assert.equal(removed(text, ...path), wanted, `${text} ${path.join('.')}`);
  });

  it('is named, and nothing where there is no such thing', () => {
    assert.deepEqual(Object.keys(fixed('a: 1\n', { removable: ['a'] })), ['Remove a']);
    assert.deepEqual(Object.keys(fixed('l: [a]\n', { removable: ['l', 0] })), ['Remove this item']);
    const long = 'k'.repeat(70);
    assert.deepEqual(Object.keys(fixed(`${long}: 1\n`, { removable: [long] })), [`Remove ${'k'.repeat(60)}…`]);
    for (const path of [['b'], ['a', 'b'], ['a', 0]])
      assert.deepEqual(fixed('a: 1\n', { removable: path }), {}, path.join());
  });
});

describe('what a fix keeps, adds or leaves', () => {
  it('keeps one of several, of those that are there', () => {
    const text = 'x:\n  a: 1\n  b: 2\n  c: 3\n  d: 4\n';
    assert.deepEqual(fixed(text, { path: ['x'], oneOf: ['d', 'b', 'a', 'z'] }), {
      'Keep a, remove b, d': 'x:\n  a: 1\n  c: 3\n',
      'Keep b, remove a, d': 'x:\n  b: 2\n  c: 3\n',
      'Keep d, remove a, b': 'x:\n  c: 3\n  d: 4\n',
    });
    for (const path of [['z'], ['x', 'a']]) assert.deepEqual(fixed(text, { path, oneOf: ['a', 'b'] }), {});
    assert.deepEqual(fixed(text, { oneOf: ['a', 'b'] }), {});
  });

  it('adds each of several, or all that is missing, in the way that the file is written', () => {
    const missing = { path: ['schedule'], missing: ['quartz_cron_expression', 'timezone_id'] };
    const all = { code: 'missingField' };
    assert.deepEqual(fixed('schedule: {}\n', missing, all), {
      'Add quartz_cron_expression, timezone_id': 'schedule: {quartz_cron_expression: , timezone_id: }\n',
    });
    assert.deepEqual(fixed('{"schedule": {}}\n', missing, all), {
      'Add quartz_cron_expression, timezone_id': '{"schedule": {"quartz_cron_expression": "", "timezone_id": ""}}\n',
    });
    assert.deepEqual(fixed('schedule: {pause_status: PAUSED}\n', missing, all), {
      'Add quartz_cron_expression, timezone_id':
        'schedule: {pause_status: PAUSED, quartz_cron_expression: , timezone_id: }\n',
    });
    assert.deepEqual(fixed('schedule:\n    pause_status: PAUSED\n', missing), {
      'Add quartz_cron_expression': 'schedule:\n    pause_status: PAUSED\n    quartz_cron_expression: 0 0 8 * * ?\n',
      'Add timezone_id': 'schedule:\n    pause_status: PAUSED\n    timezone_id: UTC\n',
    });
    // What an alias stands for is not of this place.
    for (const text of ['x: &x {a: 1}\nschedule: *x\n', 'schedule: 5\n', 'name: a\n'])
      assert.deepEqual(fixed(text, missing, all), {}, text);
    assert.deepEqual(fixed('schedule: {}\n', { ...missing, missing: ['no_field'] }), {});
  });

  it('leaves out what is no error, in a line of its own above', () => {
    const text = 'a: 1\n  b: 2\n';
    for (const severity of ['warning', 'information', 'hint'] as const)
      assert.deepEqual(fixed(text, {}, { code: 'rule', severity, start: 7, end: 8 }), {
        'Ignore rule here': 'a: 1\n  # millrace-ignore: rule\n  b: 2\n',
      });
    assert.deepEqual(fixed(text, {}, { severity: 'error' }), {});
    assert.deepEqual(fixed('a: 1', {}, { code: 'rule', severity: 'hint' }), {
      'Ignore rule here': '# millrace-ignore: rule\na: 1',
    });
  });

  it('puts another text in place, the likeliest first', () => {
    const document = parseDocument('a: b\n');
    const problem: Problem = {
      code: 'x',
      message: '',
      start: 3,
      end: 4,
      severity: 'error',
      data: { replacements: ['c', 'd'.repeat(70)] },
    };
    assert.deepEqual(quickFixes(problem, document), [
      { title: 'Change to c', changes: [{ start: 3, end: 4, text: 'c' }], isPreferred: true },
      {
        title: `Change to ${'d'.repeat(60)}…`,
        changes: [{ start: 3, end: 4, text: 'd'.repeat(70) }],
        isPreferred: false,
      },
    ]);
  });
});
