import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { localProfile } from '../../../../src/connection/connection.ts';
import { editor, shownTexts } from '../../../support/editorStandIn/editorStandIn.ts';

const { notifyFinished } = await import('../../../../src/runs/host/runMessages.ts');

describe('the message that a run has ended', () => {
  beforeEach(() => editor.reset());

  const run = (result: string, message?: string) => ({
    run_id: '7',
    job_id: '1',
    number_in_job: '3',
    run_type: 'JOB_RUN',
    state: { life_cycle_state: 'TERMINATED', result_state: result, state_message: message },
  });
  const tell = (result: string, startedHere: boolean, message?: string, cause?: string): string[] => {
    const shown: string[] = [];
    notifyFinished(
      { run: run(result, message), job: { job_id: '1', settings: { name: 'etl' } } },
      { startedHere, profile: localProfile, cause },
      (id) => shown.push(id),
    );
    return shown;
  };

  it('names job, run and profile, and gives the reason of what went wrong as a warning', () => {
    tell('SUCCESS', true, 'fine');
    tell('FAILED', true, 'no [disk](command:x)');
    const [good = '', bad = ''] = shownTexts();
    assert.match(good, /^information: etl .* on Local: Succeeded \[Show Output \| Run Again\]$/);
    assert.match(bad, /^warning: etl .* on Local: Failed. no .*\[Show Output \| Run Again \| Explain \| Fix…\]$/);
    assert.doesNotMatch(bad, /\]\(command/);
  });

  for (const [policy, expected] of Object.entries({
    started: [true, true, false, false],
    all: [true, true, true, true],
    failed: [false, true, false, true],
    none: [false, false, false, false],
  })) {
    it(`is shown as the setting "${policy}" says`, () => {
      editor.settings['millrace.notifications.runFinished'] = policy;
      const told = (
        [
          ['SUCCESS', true],
          ['FAILED', true],
          ['SUCCESS', false],
          ['FAILED', false],
        ] as const
      ).map(([result, here]) => {
        editor.shown.length = 0;
        tell(result, here);
        return editor.shown.length === 1;
      });
      assert.deepEqual(told, expected);
    });
  }

  it('tells of each attempt but where only runs of here are wanted: of these the first failure, and the end', () => {
    const told = (policy: string, attempt: number, result = 'FAILED'): boolean => {
      editor.reset();
      editor.settings['millrace.notifications.runFinished'] = policy;
      notifyFinished(
        {
          run: { ...run(result), attempt_number: attempt },
          job: { job_id: '1', settings: { name: 'etl', max_retries: 2 } },
        },
        { startedHere: true, profile: localProfile, cause: undefined },
        () => undefined,
      );
      return editor.shown.length === 1;
    };
    for (const [policy, expected] of [
      ['started', [true, false, true]],
      ['all', [true, true, true]],
      ['failed', [true, true, true]],
    ] as const)
      assert.deepEqual(
        [0, 1, 2].map((attempt) => told(policy, attempt)),
        expected,
        policy,
      );
    assert.equal(told('started', 1, 'SUCCESS'), true);
  });

  it('runs it again or explains it on the profile that it was of', async () => {
    editor.answer = ({ actions }) => actions[1];
    tell('SUCCESS', true);
    editor.answer = ({ actions }) => actions[2];
    tell('FAILED', true);
    await nextTurn();
    const target = { profileId: 'local', runId: '7' };
    assert.deepEqual(editor.executed, [
      ['millrace.run.repeat', target],
      ['millrace.run.askChat', target],
    ]);
  });
});
