import assert from 'node:assert/strict';
import { emailText, noticeOfRun, webhookBody } from '../../../../src/service/notify/notice.ts';
import { recipientsOfDeletion } from '../../../../src/service/notify/outbox.ts';
import { runRecord } from '../support/runRecord.ts';

const run = runRecord({
  runId: '9007199254740993',
  jobId: '7',
  numberInJob: 3,
  attemptNumber: 1,
  trigger: 'RETRY',
  runName: 'r',
  lifeCycle: 'TERMINATED',
  result: 'FAILED',
  message: 'It broke.',
  createdAt: 1000,
  endedAt: 61_000,
});
const page = (runId: string): string => `http://page/${runId}`;

describe('what a notification says', () => {
  it('tells a webhook the event, the job and the run, with every digit of the ids', () => {
    const notice = noticeOfRun('on_failure', run, { name: 'n' });
    assert.equal(
      webhookBody(notice, page),
      '{"event_type":"jobs.on_failure","job":{"job_id":7,"name":"n"},"run":{"run_id":9007199254740993,"number_in_job":3,"attempt_number":1,"trigger":"RETRY",' +
        '"state":{"life_cycle_state":"TERMINATED","result_state":"FAILED","state_message":"It ' +
        'broke."},"start_time":1000,"end_time":61000,"run_page_url":"http://page/9007199254740993",' +
        '"editor_url":"vscode://millrace.millrace/run?profile=local&run_id=9007199254740993"}}',
    );
    assert.equal(
      webhookBody({ event: 'job_deleted', jobId: '7', jobName: 'n' }, page),
      '{"event_type":"jobs.job_deleted","job":{"job_id":7,"name":"n"}}',
    );
    assert.match(
      webhookBody(noticeOfRun('on_start', { ...run, jobId: undefined, endedAt: undefined }, {}), page),
      /"job":\{"name":"r"\}.*"end_time":0,/,
    );
  });

  it('tells a person the same in words', () => {
    const mail = emailText(noticeOfRun('on_failure', { ...run, runId: '5' }, { name: 'n' }), page);
    assert.deepEqual(mail, {
      subject: 'Job "n" (7): run 5 did not succeed',
      text: [
        'Job "n" (7): run 5 did not succeed.',
        '',
        'State:   TERMINATED, FAILED',
        'Message: It broke.',
        'Attempt: 1, triggered RETRY',
        'Started: 1970-01-01T00:00:01.000Z',
        'Ended:   1970-01-01T00:01:01.000Z',
        '',
        'http://page/5',
        'In VS Code: vscode://millrace.millrace/run?profile=local&run_id=5',
        '',
      ].join('\n'),
    });
    const going = {
      ...run,
      runId: '5',
      jobId: undefined,
      lifeCycle: 'RUNNING' as const,
      result: undefined,
      message: '',
      endedAt: undefined,
    };
    const subjects = (['on_start', 'on_success', 'on_duration_warning_threshold_exceeded'] as const).map(
      (event) => emailText(noticeOfRun(event, going, {}), page).subject,
    );
    assert.deepEqual(
      subjects,
      ['has started', 'succeeded', 'lasts longer than expected'].map((words) => `One-time run "r": run 5 ${words}`),
    );
    const { text } = emailText(noticeOfRun('on_start', going, {}), page);
    assert.match(text, /^State: {3}RUNNING$/m);
    assert.doesNotMatch(text, /Message|Ended/);
    const deleted = emailText({ event: 'job_deleted', jobId: '7', jobName: 'n' }, page);
    assert.deepEqual(deleted, {
      subject: 'Job "n" (7) was deleted',
      text: 'Job "n" (7) was deleted. Its runs can no longer be seen; active ones are being ended.\n',
    });
  });

  it('of a deletion goes to every address of the job, once', () => {
    const email_notifications = {
      on_start: ['a', 'b'],
      on_success: ['c'],
      on_failure: ['a'],
      on_duration_warning_threshold_exceeded: ['d'],
    };
    assert.deepEqual(
      recipientsOfDeletion({ email_notifications, webhook_notifications: { on_start: [{ id: 'w' }] } }),
      ['a', 'b', 'c', 'd'].map((target) => ({ kind: 'email', target })),
    );
    assert.deepEqual(recipientsOfDeletion({}), []);
  });
});
