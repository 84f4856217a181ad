import assert from 'node:assert/strict';
import { describeAttachedRun } from '../../../../../src/service/models/guide/guideAnswer.ts';

describe('a run that is attached to a question', () => {
  const attached = (lines: readonly string[], fence = '```'): string =>
    ['Why?', `${fence}text`, ...lines, fence, 'after'].join('\n');

  it('is described by its state, what stands beside it and what it wrote', () => {
    const answer = describeAttachedRun(
      attached(['nightly — Failed', 'job 7', 'run 12 · attempt 2 · 3 s', '── output ──', 'one', 'two']),
    );
    assert.equal(
      answer?.markdown,
      '**nightly**: Failed, attempt 2, 3 s.\n\nWhat it wrote:\n\n```text\n── output ──\none\ntwo\n```',
    );
    assert.deepEqual(
      [answer?.summary, answer?.facts, answer?.found],
      ['nightly: Failed.', { name: 'nightly', state: 'Failed' }, true],
    );
  });

  it('that wrote nothing is said to have', () =>
    assert.equal(
      describeAttachedRun(attached(['n — Running', 'run 12']))?.markdown,
      '**n**: Running. It wrote nothing.',
    ));

  it('is shown with the end of what it wrote', () => {
    const { markdown = '' } =
      describeAttachedRun(attached(['n — Failed', 'run 1', '── output ──', `A${'b'.repeat(2000)}`, 'end'])) ?? {};
    assert.match(markdown, /```text\n…\nb{1996}\nend\n```$/);
    const whole = describeAttachedRun(attached(['n — Failed', 'run 1', '── o ──', 'b'.repeat(1992)]))?.markdown ?? '';
    assert.match(whole, /```text\n── o ──\nb{1992}\n```$/);
  });

  it('is known within a longer fence, to its end or that of the text', () => {
    const lines = ['n — Failed', 'run 1', '── output ──', '```', 'code'];
    assert.match(describeAttachedRun(attached(lines, '````'))?.markdown ?? '', /```\ncode\n````$/);
    assert.match(describeAttachedRun('```text\nn — Failed\nrun 1\n── o ──\nlast')?.markdown ?? '', /last\n```$/);
  });

  it('is known below other lines with a dash, and its output may hold its fence within a line', () => {
    const text = attached(['n — Failed', 'run 1', '── o ──', 'a ```', 'b']);
    assert.match(
      describeAttachedRun(`An — aside\n\`\`\`\ncode\n\`\`\`\n${text}`)?.markdown ?? '',
      /^\*\*n\*\*: Failed\.[^]*── o ──\na ```\nb\n````$/,
    );
    assert.match(
      describeAttachedRun('```\nn — Failed\nrun 1\n── o ──\na\n``` \nb')?.markdown ?? '',
      /── o ──\na\n```$/,
    );
    assert.match(describeAttachedRun('``` `x\nn — Failed\nrun 1\n── o ──\na\n```')?.markdown ?? '', /── o ──\na\n```$/);
  });

  for (const [what, text] of [
    ['its run is named within a line', attached(['n — Failed', 'the run 1'])],
    ['its run stands above it', '```\nrun 1\n```\nn — Failed\nx'],
    ['nothing is attached', 'Why did nightly — Failed?'],
    ['no fence is above it', 'n — Failed\nrun 1'],
    ['no run is named', attached(['n — Failed', 'job 1'])],
    ['its run stands too far below', attached(['n — Failed', 'a', 'b', 'c', 'run 1'])],
    ['the run is no number', attached(['n — Failed', 'run x'])],
  ] as const)
    it(`is none where ${what}`, () => assert.equal(describeAttachedRun(text), undefined));
});
