import assert from 'node:assert/strict';
import type { Run, RunOutput } from '../../../src/api/schema/jobs/schemas.ts';
import { outputText } from '../../../src/runs/outputText.ts';

const run = (state: object): Run => ({ run_id: '7', start_time: 1000, end_time: 0, state }) as Run;
const going = run({ life_cycle_state: 'RUNNING' });
const over = { ...run({ life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' }), end_time: 3000 };
const text = (output: object, of: Run): string => outputText('etl #3', output as RunOutput, of, 5000);

describe('what a run gave, as a text', () => {
  it('says what the service says of it, unless that is said of every run that goes on', () => {
    const said = (message: string): string =>
      text({ logs: 'a' }, { ...going, state: { ...going.state, state_message: message } as never });
    assert.match(said('Waits for room'), /\nWaits for room\n/);
    assert.doesNotMatch(said('In run'), /In run/);
  });

  it('has what it wrote and why it failed, and says where that is not all', () => {
    const whole = text({ logs: 'one\ntwo\n', error: 'ValueError: no', error_trace: 'Traceback of it' }, over);
    for (const part of [/Output\W+one\ntwo/, /Error\W+ValueError: no/, /Traceback\W+Traceback of it/])
      assert.match(whole, part);
    assert.doesNotMatch(whole, /first 5 MB|wrote nothing/);
    assert.match(text({ logs: 'one', logs_truncated: true }, over), /Output \(first 5 MB\)/);
  });

  it('shows a traceback once, and its error with it, where the program wrote it or it is all there is', () => {
    const trace = 'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: no\n';
    for (const output of [
      { logs: `one\n${trace}`, error: 'ValueError: no', error_trace: trace },
      { error: 'ValueError: no', error_trace: trace },
      { logs: 'one\n', error: 'ValueError: no', error_trace: trace },
    ]) {
      const shown = text(output, over);
      assert.deepEqual([shown.split('ValueError: no').length, shown.split('line 1').length], [2, 2], shown);
      assert.doesNotMatch(shown, /── Error/);
    }
    // What was cut off is told at its own place.
    assert.match(text({ logs: 'one', logs_truncated: true, error_trace: trace }, over), /── Traceback .*\nTraceback/);
  });

  it('begins with the run, its times and what it runs with, without the colours of a terminal', () => {
    const measured = {
      ...over,
      job_id: '3',
      start_time: Date.UTC(2026, 2, 4, 5, 6, 7),
      setup_duration: 0,
      execution_duration: 61_000,
      cleanup_duration: 500,
      state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: 'Task failed.' },
    } as Run;
    const lines = outputText(
      'etl #3',
      {
        logs: '\u001b[31mred\u001b[0m \u001b]8;;http://x\u001b\\link\u001b(B\r\n10 %\r100 %\rdone\n\n',
      } as never,
      measured,
      5000,
      'Python 3.11',
    ).split('\n');
    assert.deepEqual(
      [lines[0], lines[1], lines[2]?.replace(/started Mar 4, 2026, 5:06:07\sAM ·/, 'started T ·'), lines[3], lines[4]],
      [
        'etl #3 — Failed',
        'Task failed.',
        'run 7 · job 3 · started T · 1 min 1 s',
        'execution 1 min 1 s · clean-up 500 ms',
        'Python 3.11',
      ],
    );
    assert.equal(lines.slice(5).join('\n'), `\n── Output ${'─'.repeat(64)}\nred link\n10 %\n100 %\ndone\n`);
    const single = outputText('x', {} as never, { ...measured, run_type: 'SUBMIT_RUN' } as Run, 5000);
    assert.doesNotMatch(single, /job 3/);
  });
});
