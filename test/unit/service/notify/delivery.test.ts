import assert from 'node:assert/strict';
import { createDelivery, mailServerOf } from '../../../../src/service/notify/delivery.ts';
import type { Notice } from '../../../../src/service/notify/notice.ts';
import { startHttpServer } from '../../../support/httpServer.ts';

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
        ],
        ['POST', 'Bearer of-the-team', 'application/json', '5-3'],
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
