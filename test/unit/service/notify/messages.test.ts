import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { createDelivery, type DeliveryOptions, mailServerOf } from '../../../../src/service/notify/delivery.ts';
import { type Notice, noticeOfRun, webhookBody } from '../../../../src/service/notify/notice.ts';
import type { OutboxMessage } from '../../../../src/service/store/store.ts';
import { eachWithTempFolder } from '../../../support/tempFolder.ts';
import { runRecord } from '../support/runRecord.ts';
import { startSmtp } from './smtpStandIn.ts';

describe('Notification text', () => {
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

  it('tells a webhook the event, the job and the run, with exact ids', () => {
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
});

describe('Mail server', () => {
  it('uses TLS by its port unless configured otherwise', () => {
    const secure = (port: number, more: { secure?: boolean } = {}): boolean =>
      mailServerOf({ host: 'mail.example.com', port, ...more }).secure;
    assert.deepEqual([secure(465), secure(587), secure(25)], [true, false, false]);
    assert.deepEqual([secure(465, { secure: false }), secure(2525, { secure: true })], [false, true]);
  });

  it('gets user and password only if a user is configured', () => {
    const auth = (more: object): unknown => mailServerOf({ host: 'mail.example.com', port: 587, ...more }).auth;
    assert.deepEqual(
      [auth({}), auth({ user: 'me', password: 'p' }), auth({ user: 'me' })],
      [undefined, { user: 'me', pass: 'p' }, { user: 'me', pass: '' }],
    );
  });
});

describe('Message', () => {
  let folder: string;
  eachWithTempFolder((one) => (folder = one));
  const createdAt = Date.UTC(2026, 0, 5, 6, 7, 8, 90);
  const message = (more: Partial<OutboxMessage>): OutboxMessage => ({
    messageId: 3,
    kind: 'email',
    target: 'a@example.com',
    payload: '{}',
    createdAt,
    attempts: 0,
    ...more,
  });
  const notice: Notice = { event: 'job_deleted', jobId: '7', jobName: 'Etl' };
  const pageUrl = (runId: string): string => `http://page/${runId}`;
  const deliver = (
    message_: OutboxMessage,
    configuration: DeliveryOptions['configuration'] = {},
    of = notice,
  ): Promise<void> => createDelivery({ dataFolder: folder, configuration, pageUrl })(message_, of);
  const run: Notice = {
    event: 'on_failure',
    jobName: 'x',
    run: {
      runId: '5',
      numberInJob: 1,
      attemptNumber: 0,
      trigger: 'ONE_TIME',
      lifeCycle: 'TERMINATED',
      message: '',
      startTime: 0,
      endTime: 0,
    },
  };

  it('is handed to the configured mail server', async () => {
    const smtp = await startSmtp();
    try {
      const server = { host: '127.0.0.1', port: smtp.port };
      await deliver(message({}), { smtp: { ...server, from: 'jobs@example.com' } }, run);
      await deliver(message({}), { smtp: server });
      assert.deepEqual(
        smtp.mails.map((mail) => /^From: (.*)$/m.exec(mail)?.[1]),
        ['jobs@example.com', 'Millrace <millrace@localhost>'],
      );
      assert.match(smtp.mails[0] ?? '', /^http:\/\/page\/5$/m);
      assert.deepEqual(await readdir(folder), []);
      smtp.answer = () => '554 no\r\n';
      await assert.rejects(deliver(message({}), { smtp: server }));
    } finally {
      await smtp.close();
    }
  });
});
