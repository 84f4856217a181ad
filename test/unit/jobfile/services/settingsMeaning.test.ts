import assert from 'node:assert/strict';
import { fieldAt } from '../../../../src/jobfile/model/fieldTree.ts';
import {
  fieldPlace, hidesSome, isMask, isMaskOf, mask, meaningOf,
} from '../../../../src/jobfile/services/settingsMeaning.ts';

/** What a value means as the value of the field at this path. */
const meant = (path: string, value: unknown): unknown => {
  const steps = path.split('.');
  return meaningOf(value, fieldPlace(fieldAt(steps.slice(0, -1))?.type, steps.at(-1) ?? ''));
};

describe('what a setting means', () => {
  it('is the same for all spellings of it, and nothing where it says no more than its absence', () => {
    for (const [path, meaning, ...values] of [
      ['max_retries', '3', 3, '3', ' 3 ', 3n, '3.0', '3.000000000', '03'],
      ['max_retries', '-1', -1, '-1'],
      ['max_retries', undefined, 0, '0', '-0', '0.0', null, undefined],
      ['max_retries', '3.5', 3.5, '3.5'],
      ['max_retries', '+3', '+3'],
      // Its default is a number, so that a 0 says something.
      ['max_concurrent_runs', '0', 0, '0'],
      ['max_concurrent_runs', undefined, 1, '1', ' 1.0', null],
      ['run_job_task.job_id', '9007199254740993', 9007199254740993n, '9007199254740993'],
      ['retry_on_timeout', 'true', true, 'True', ' true'],
      ['retry_on_timeout', undefined, false, 'FALSE'],
      ['schedule.pause_status', 'PAUSED', 'PAUSED', 'paused', ' Paused '],
      ['schedule.pause_status', undefined, 'UNPAUSED', 'unpaused'],
      ['schedule.quartz_cron_expression', '0 0 8 ? * MON', '0 0 8 ? * MON', ' 0  0 8 ?\t* mon\n'],
      ['schedule.timezone_id', 'Europe/Berlin', 'Europe/Berlin', ' Europe/Berlin '],
      ['name', 'a b', 'a b', ' a b '],
      ['name', 'A b', 'A b'],
      ['name', '5', 5, '5'],
      ['name', undefined, '', '  ', null],
      // In the user's own words and in lists, blanks say something.
      ['new_cluster.spark_conf.a', ' x ', ' x '],
      ['new_cluster.spark_conf.a', '', ''],
      ['new_cluster.spark_conf.a', 'true', true, 'true'],
      ['unknown_word', '0', 0, '0'],
      ['unknown_word', 'false', false],
      ['unknown_word', ' a', ' a'],
    ] as const)
      for (const value of values)
        assert.equal(meant(path, value), meaning, `${path}: ${typeof value} ${String(value)}`);
    assert.equal(meant('max_retries', `1${'0'.repeat(29)}`), `1${'0'.repeat(29)}`);
    assert.equal(meant('max_retries', `0${'1'.repeat(30)}`), `0${'1'.repeat(30)}`, 'longer ones stay what they are');
  });

});

describe('what stands for a secret', () => {
  const masks = [
    '***',
    mask,
    '•••',
    '●●●●',
    'xxxx',
    'XXXXX',
    '[REDACTED]',
    '(hidden)',
    '<secret>',
    '{masked}',
    '*** redacted ***',
    '[[ sensitive ]]',
    'REDACTED',
    'redacted',
  ];
  const none = ['**', 'xxx', 'xxxxa', 'secret', 'hidden', '', 'a', '[removed]', '[redacted', '[[[[redacted]]]]'];

  it('is known by what services write', () => {
    for (const text of masks) assert.ok(isMask(text), text);
    for (const text of none) assert.equal(isMask(text), false, text);
    assert.deepEqual([isMask('ab***yz'), isMask(5), isMask(null), isMask(['***'])], [true, false, false, false]);
    for (const shown of ['ab***', { a: ['•••'] }, 'is Redacted', { b: 'hidden here' }, 'MASKED'])
      assert.ok(hidesSome(shown), JSON.stringify(shown));
    for (const shown of [undefined, null, '**', 'xxxx', 5, { a: 'secret' }])
      assert.equal(hidesSome(shown), false, JSON.stringify(shown));
  });

  it('stands for any text as a whole, and in part for one that begins and ends so', () => {
    for (const text of masks) assert.ok(isMaskOf(text, 'anything'), text);
    for (const given of [undefined, null, {}, ['a']]) assert.equal(isMaskOf('***', given), false);
    assert.equal(isMaskOf(5, '5'), false);
    assert.ok(isMaskOf('***', 5));
    for (const [shown, given, is] of [
      ['ab***yz', 'abcxyz', true],
      ['ab***', 'abc', true],
      ['***yz', 'xyz', true],
      ['1***', 12, true],
      ['ab●●●yz', 'ab1yz', true],
      ['ab*•●yz', 'ab1yz', true],
      // Nothing is hidden of it.
      ['ab***yz', 'abyz', false],
      ['ab***ba', 'aba', false],
      ['ab***yz', 'abcxyy', false],
      ['ab***yz', 'bbcxyz', false],
      ['ab**yz', 'abcxyz', false],
      ['a***b***c', 'axbyc', false],
      ['abc', 'abc', false],
    ] as const)
      assert.equal(isMaskOf(shown, given), is, `${shown} ${given}`);
  });
});
