import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDelivery, mailServerOf, type DeliveryOptions } from '../../../../src/service/notify/delivery.ts';
import { webhookBody, type Notice } from '../../../../src/service/notify/notice.ts';
import type { OutboxMessage } from '../../../../src/service/store/outboxStore.ts';
import { startHttpServer } from '../../../support/httpServer.ts';
import { startSmtp } from './smtpStandIn.ts';

describe('a mail server', () => {
  it('is spoken to in TLS by its port, unless the settings say otherwise', () => {
    const secure = (port: number, more: { secure?: boolean } = {}): boolean =>
      mailServerOf({ host: 'mail.example.com', port, ...more }).secure;
    assert.deepEqual([secure(465), secure(587), secure(25)], [true, false, false]);
    assert.deepEqual([secure(465, { secure: false }), secure(2525, { secure: true })], [false, true]);
  });

  it('is told user and password where there is a user, and waited for 20 s', () => {
    const server = { host: 'mail.example.com', port: 587 };
    assert.deepEqual(mailServerOf(server), {
      host: 'mail.example.com',
      port: 587,
      secure: false,
      auth: undefined,
      connectionTimeout: 20_000,
      greetingTimeout: 20_000,
      socketTimeout: 20_000,
    });
    assert.deepEqual(mailServerOf({ ...server, user: 'me', password: 'p' }).auth, { user: 'me', pass: 'p' });
    assert.deepEqual(mailServerOf({ ...server, user: 'me' }).auth, { user: 'me', pass: '' });
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

  it('gets its own headers beside those that name the message, which they do not replace, and is not followed elsewhere', async () => {
    let status = 200;
    const server = await startHttpServer(
      (_request, response) => void response.writeHead(status, { location: 'http://127.0.0.1:9/' }).end('{}'),
    );
    const headers = { authorization: 'Bearer of-the-team', 'content-type': 'text/plain', 'x-millrace-delivery': 'own' };
    const deliver = createDelivery({
      dataFolder: '/nowhere',
      configuration: { destinations: { team: { url: server.url, headers } } },
      pageUrl: (runId) => `http://page/${runId}`,
    });
    const message = {
      messageId: 3,
      kind: 'webhook',
      target: 'team',
      payload: '{}',
      createdAt: 5,
      attempts: 0,
    } as const;
    const notice: Notice = { event: 'job_deleted', jobId: '7', jobName: 'Etl' };
    try {
      await deliver(message, notice);
      const [request] = server.requests;
      assert.deepEqual(
        [
          request?.method,
          request?.headers.authorization,
          request?.headers['content-type'],
          request?.headers['x-millrace-delivery'],
          request?.body,
        ],
        [
          'POST',
          'Bearer of-the-team',
          'application/json',
          '5-3',
          webhookBody(notice, (runId) => `http://page/${runId}`),
        ],
      );
      status = 302;
      await assert.rejects(async () => deliver(message, notice), { kind: 'rejected', status: 302 });
      status = 500;
      await assert.rejects(async () => deliver(message, notice), { kind: 'rejected', status: 500 });
    } finally {
      await server.close();
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

  it('becomes a whole file of the webhooks where its destination is not configured, or has the name of no own one', async () => {
    for (const [messageId, target] of [
      [4, 'team'],
      [5, 'constructor'],
    ] as const)
      await deliver(message({ kind: 'webhook', messageId, target }), { destinations: {} });
    assert.deepEqual((await readdir(join(folder, 'webhooks'))).toSorted(), [
      '2026-01-05T06-07-08-090Z-4.json',
      '2026-01-05T06-07-08-090Z-5.json',
    ]);
    const text = await readFile(join(folder, 'webhooks', '2026-01-05T06-07-08-090Z-4.json'), 'utf8');
    assert.equal(text, webhookBody(notice, pageUrl));
    await deliver(message({ kind: 'webhook', messageId: 6 }), {}, run);
    const ofRun = await readFile(join(folder, 'webhooks', '2026-01-05T06-07-08-090Z-6.json'), 'utf8');
    assert.match(ofRun, /"run_page_url":"http:\/\/page\/5"/);
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
