import assert from 'node:assert/strict';
import { changesInWords, movesInWords } from '../../../../src/jobfile/services/changesInWords.ts';
import type { PlannedChange } from '../../../../src/jobfile/services/deployPlan.ts';

const long = 'x'.repeat(100);
const change = (kind: PlannedChange['kind'], file: unknown, job: unknown, fallback?: unknown): PlannedChange => ({
  kind,
  path: kind === 'add' ? `spark_conf.${long}` : 'name',
  file,
  job,
  fallback,
  scope: 'name',
  unknown: undefined,
});

describe('what a deploy does, in words', () => {
  it('is one line a setting, with its values in short', () => {
    assert.deepEqual(
      changesInWords([
        change('add', 1, undefined),
        change('change', long, { a: 'b\n  c' }),
        change('change', 'new', '******'),
        change('remove', undefined, 'old'),
        change('reset', undefined, 3, 0),
        change('reset', undefined, ['a'], { b: long }),
      ]).split('\n'),
      [
        `• spark_conf.${'x'.repeat(69)}…: 1 is added`,
        `• name: {"a":"b\\n c"} becomes "${'x'.repeat(79)}…`,
        '• name: what the service hides becomes what the file says',
        '• name: "old" is removed',
        '• name: 3 goes back to the default (0)',
        `• name: ["a"] goes back to the default ({"b":"${'x'.repeat(74)}…)`,
      ],
    );
  });

  it('is the same for what somebody else did', () => {
    assert.deepEqual(
      movesInWords([
        change('change', undefined, 2),
        change('change', 1, undefined),
        change('change', 1, '••••'),
        change('change', 1, `a  ${long}`),
      ]).split('\n'),
      [
        '• name: 2 was added',
        '• name: 1 was removed',
        '• name: what the service hides became another',
        `• name: 1 became "a ${'x'.repeat(77)}…`,
      ],
    );
  });

  it('names as many as are asked for, and counts the rest', () => {
    const changes = Array.from({ length: 12 }, (_each, index) => change('remove', undefined, index));
    assert.match(changesInWords(changes), /^(?:• name: \d is removed\n){10}• and 2 more$/);
    assert.match(movesInWords(changes), /^(?:• name: \d was added\n){10}• and 2 more$/);
    assert.equal(changesInWords(changes.slice(0, 10)).split('\n').length, 10);
    assert.equal(movesInWords(changes, 1).split('\n')[1], '• and 11 more');
    assert.equal(
      changesInWords([change('remove', undefined, 'y'.repeat(78))]),
      `• name: "${'y'.repeat(78)}" is removed`,
    );
  });
});
