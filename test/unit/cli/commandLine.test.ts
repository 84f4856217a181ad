import assert from 'node:assert/strict';
import {
  exitCodes,
  helpText,
  isUsageError,
  onlyOne,
  parseParameters,
  serviceOptions,
  usageError,
} from '../../../src/cli/commandLine.ts';
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

  it('is explained: each command with what follows it, and what its end means', () => {
    assert.deepEqual(helpText.split('\n').slice(0, 11), [
      'Usage: millrace COMMAND …',
      '',
      '  millrace check FILE… [--format text|json|sarif|github]',
      '  millrace deploy FILE… [--plan] [--yes] [--json]',
      '  millrace pull JOB [FILE] [--yes] [--json]',
      '  millrace run FILE [--param NAME=VALUE]… [--no-wait] [--yes] [--json]',
      '  millrace runs [FILE] [--limit N] [--json]',
      '  millrace logs RUN [--follow] [--json]',
      '  millrace schema',
      '  millrace serve --root DIR --data DIR [options]',
      '',
    ]);
    for (const name of ['url', 'root', 'data', 'json', 'yes', 'param', 'no-wait'])
      assert.match(helpText, new RegExp(`^  --${name}\\b`, 'm'), name);
    assert.match(
      helpText,
      /\nExit codes: 0 done[^]*; 1 a file has an error[^]*; 2 wrong usage; 3 deploy --plan found changes\.\n$/,
    );
    assert.deepEqual(exitCodes, { ok: 0, failed: 1, usage: 2, changes: 3 });
    assert.ok(helpText.split('\n').every((line) => line.length <= 120));
  });

  it('says of a mistake what it is, and not how a word that begins with a dash is given', () => {
    assert.equal(
      refusal(() => parseParameters(['-x', 'a'], serviceOptions)),
      "Nothing was done: Unknown option '-x'.",
    );
    const cause = new Error('why');
    const error = usageError('it was nothing', cause);
    assert.deepEqual(
      [error.kind, error.message, error.cause, error.errorCode],
      ['invalid', 'Nothing was done: it was nothing.', cause, 'USAGE'],
    );
  });
});
