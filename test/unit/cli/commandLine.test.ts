import assert from 'node:assert/strict';
import { isUsageError, onlyOne, parseParameters, serviceOptions } from '../../../src/cli/commandLine.ts';
import { AppError } from '../../../src/shared/errors.ts';

describe('the command line of a command', () => {
  const refusal = (read: () => unknown): string => {
    try {
      read();
    } catch (error) {
      assert.ok(isUsageError(error) && error instanceof AppError);
      assert.equal(error.remedy, 'Run "millrace --help" to see what it takes.');
      return error.message;
    }
    return 'taken';
  };

  it('names one thing, where it takes one', () => {
    assert.equal(onlyOne('pull', 'one job', ['a']), 'a');
    assert.equal(
      refusal(() => onlyOne('pull', 'one job', [])),
      'Nothing was done: pull needs one job.',
    );
    assert.equal(
      refusal(() => onlyOne('pull', 'one job', [''])),
      'Nothing was done: pull needs one job.',
    );
    assert.equal(
      refusal(() => onlyOne('pull', 'one job', ['a', 'b'])),
      'Nothing was done: pull takes one job, and there are 2.',
    );
  });

  it('has options and words in any order, and no option that is not known', () => {
    const { values, positionals } = parseParameters(['a', '--json', '--url=u', 'b', '--', '--c'], serviceOptions);
    assert.deepEqual([{ ...values }, positionals], [{ json: true, url: 'u' }, ['a', 'b', '--c']]);
    assert.equal(
      refusal(() => parseParameters(['--nope'], serviceOptions)),
      "Nothing was done: Unknown option '--nope'.",
    );
    for (const wrong of [['--url'], ['--json=1'], ['--url', '--json']])
      assert.notEqual(
        refusal(() => parseParameters(wrong, serviceOptions)),
        'taken',
        wrong.join(' '),
      );
  });

  it('is what its errors are told by', () => {
    for (const other of [new AppError('invalid', 'No.'), new Error('USAGE'), undefined])
      assert.equal(isUsageError(other), false);
  });
});
