import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDelivery, type DeliveryOptions, mailServerOf } from '../../../../src/service/notify/delivery.ts';
import { type Mail, mailBytes, type MailServer, sendMail } from '../../../../src/service/notify/mail.ts';
import { emailText, type Notice, noticeOfRun, webhookBody } from '../../../../src/service/notify/notice.ts';
import { recipientsOfDeletion } from '../../../../src/service/notify/recipients.ts';
import type { OutboxMessage } from '../../../../src/service/store/outboxStore.ts';
import { startHttpServer } from '../../../support/httpServer.ts';
import { runRecord } from '../support/runRecord.ts';
import { type SmtpStandIn, startSmtp } from './smtpStandIn.ts';

describe('what a notification says', () => {
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

describe('a mail server', () => {
  it('is spoken to in TLS by its port, unless the settings say otherwise', () => {
    const secure = (port: number, more: { secure?: boolean } = {}): boolean =>
      mailServerOf({ host: 'mail.example.com', port, ...more }).secure;
    assert.deepEqual([secure(465), secure(587), secure(25)], [true, false, false]);
    assert.deepEqual([secure(465, { secure: false }), secure(2525, { secure: true })], [false, true]);
  });
});

describe('a destination of webhooks', () => {
  it('that says nothing is given up after ten seconds, so that the others get theirs', async () => {
    const silent = await startHttpServer(() => undefined);
    const { timeout } = AbortSignal;
    const limitsInMs: number[] = [];
    // A hundred times as fast.
    AbortSignal.timeout = (limitInMs) => timeout.call(AbortSignal, (limitsInMs.push(limitInMs), limitInMs / 100));
    try {
      const deliver = createDelivery({
        dataFolder: '/nowhere',
        configuration: { destinations: { team: { url: silent.url } } },
        pageUrl: (runId) => `http://page/${runId}`,
      });
      const message = {
        messageId: 1,
        kind: 'webhook',
        target: 'team',
        payload: '{}',
        createdAt: 1,
        attempts: 0,
      } as const;
      const notice: Notice = { event: 'job_deleted', jobId: '7', jobName: 'Etl' };
      await assert.rejects(async () => deliver(message, notice), /timeout|aborted/i);
      assert.deepEqual([silent.requests.length, limitsInMs], [1, [10_000]]);
    } finally {
      AbortSignal.timeout = timeout;
      await silent.close();
    }
  });
});

describe('a message', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-delivery-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
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

  it('becomes a whole file of the mailbox where no mail server is configured, the same one each time', async () => {
    for (let time = 0; time < 2; time += 1) await deliver(message({}));
    assert.deepEqual(await readdir(folder), ['mailbox']);
    assert.deepEqual(await readdir(join(folder, 'mailbox')), ['2026-01-05T06-07-08-090Z-3.eml']);
    const text = await readFile(join(folder, 'mailbox', '2026-01-05T06-07-08-090Z-3.eml'), 'utf8');
    for (const header of [
      'From: Millrace <millrace@localhost>',
      'To: a@example.com',
      `Message-ID: <millrace-${createdAt}-3@localhost>`,
      'Date: Mon, 05 Jan 2026 06:07:08 +0000',
      'Subject: =?UTF-8?Q?Job_=22Etl=22_=287=29_was_deleted?=',
    ])
      assert.ok(text.split('\r\n').includes(header), `${header} is not in ${text}`);
  });

  it('is handed to the mail server that is configured, from its address', async () => {
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

describe('mail', () => {
  const mail: Mail = {
    from: 'Jobs <jobs@example.com>',
    to: 'one,two@example.com',
    messageId: '<millrace-5-3@localhost>',
    date: new Date(Date.UTC(2026, 0, 5, 6, 7, 8)),
    subject: 'Job "näme"',
    text: 'It broke.\nAt ünce.\n',
  };

  describe('a mail', () => {
    it('is plain text with its headers, and its address is one however many commas it has', async () => {
      const written = (await mailBytes(mail)).toString('utf8');
      const end = written.indexOf('\r\n\r\n');
      const [headers, body] = [written.slice(0, end), written.slice(end + 4)];
      assert.deepEqual(headers.split('\r\n').toSorted(), [
        'Content-Transfer-Encoding: quoted-printable',
        'Content-Type: text/plain; charset=utf-8',
        'Date: Mon, 05 Jan 2026 06:07:08 +0000',
        'From: Jobs <jobs@example.com>',
        'MIME-Version: 1.0',
        'Message-ID: <millrace-5-3@localhost>',
        'Subject: =?UTF-8?Q?Job_=22n=C3=A4me=22?=',
        'To: <"one,two"@example.com>',
      ]);
      assert.equal(body.trimEnd(), 'It broke.\r\nAt =C3=BCnce.');
    });
  });

  describe('a mail server', () => {
    let smtp: SmtpStandIn;
    beforeEach(async () => {
      smtp = await startSmtp();
    });
    afterEach(() => smtp.close());
    const limits = { connectionTimeout: 60_000, greetingTimeout: 60_000, socketTimeout: 60_000 };
    const send = (more: Partial<MailServer> = {}): Promise<void> =>
      sendMail(mail, { host: '127.0.0.1', port: smtp.port, secure: false, ...limits, ...more });
    const asksForUsers = (line: string): string | undefined => {
      if (line.startsWith('EHLO')) return '250-test\r\n250 AUTH PLAIN\r\n';
      return line.startsWith('AUTH') ? '235 welcome\r\n' : undefined;
    };
    const auth = { user: 'me', pass: 'p' };

    it('is handed the mail for its one recipient, and left', async () => {
      await send();
      await smtp.left();
      assert.deepEqual(
        smtp.lines.filter((line) => /^(?:MAIL|RCPT|AUTH)/.test(line)),
        ['MAIL FROM:<jobs@example.com>', 'RCPT TO:<"one,two"@example.com>'],
      );
      assert.equal(smtp.mails.length, 1);
      assert.match(smtp.mails[0] ?? '', /^Subject: =\?UTF-8\?Q\?Job_=22n=C3=A4me=22\?=$/m);
      assert.match(smtp.mails[0] ?? '', /\n\nIt broke\.\nAt =C3=BCnce\.\n/);
      assert.equal(smtp.sockets.size, 0);
    });

    for (const [what, answer, more, expected] of [
      [
        'the user',
        (line: string) => (line.startsWith('AUTH') ? '535 who\r\n' : asksForUsers(line)),
        { auth },
        /535|Invalid login/,
      ],
      ['the recipient', (line: string) => (line.startsWith('RCPT') ? '550 nobody\r\n' : undefined), {}, /550|nobody/],
      ['the mail', (line: string) => (line === '.' ? '554 no\r\n' : undefined), {}, /554/],
      ['everybody', (line: string) => (line === '' ? '421 later\r\n' : undefined), {}, /421|greeting/i],
    ] as const)
      it(`is left with a failure where it refuses ${what}`, async () => {
        smtp.answer = answer;
        await assert.rejects(send(more), expected);
        await smtp.left();
        if (what === 'the user') assert.ok(!smtp.lines.some((line) => line.startsWith('MAIL')));
      });

    it('that says nothing is given up', async () => {
      smtp.answer = () => '';
      await assert.rejects(send({ greetingTimeout: 20 }), /greeting/i);
      await smtp.left();
    });
  });
});
