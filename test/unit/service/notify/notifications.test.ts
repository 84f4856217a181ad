import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { EngineSettings, NotificationEvent } from '../../../../src/service/engine/engineSettings.ts';
import { eventOfEnd, recipientsOf } from '../../../../src/service/notify/outbox.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';
import { parseJson } from '../../../../src/shared/json.ts';
import { startTestService, type TestService, until } from '../support/testService.ts';
import { type SmtpStandIn, startSmtp } from './smtpStandIn.ts';

describe('Notifications', () => {
  async function listen(server: Server): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  async function filesIn(test: TestService, folder: string): Promise<string[]> {
    const names = await readdir(join(test.folder, folder)).catch(() => []);
    return Promise.all(
      names
        .filter((name) => !name.startsWith('.'))
        .sort()
        .map((name) => readFile(join(test.folder, folder, name), 'utf8')),
    );
  }

  async function runOnce(test: TestService, jobId: number): Promise<number> {
    const before = test.runners.tasks.length;
    const runId = await test.runNow(jobId);
    await test.untilTasks(before + 1);
    test.runners.last.started();
    test.runners.last.fail('It broke.');
    await test.untilState(runId, 'TERMINATED');
    return runId;
  }

  let test: TestService | undefined;
  const servers: Server[] = [];
  let smtp: SmtpStandIn | undefined;
  afterEach(async () => {
    await test?.close();
    test = undefined;
    for (const server of servers.splice(0)) server.close();
    await smtp?.close();
    smtp = undefined;
  });

  it('become files where nothing is configured', async () => {
    test = await startTestService();
    const jobId = await test.createJob({
      name: 'näme, "quoted"',
      email_notifications: {
        on_start: ['start@example.com'],
        on_failure: ['failure@example.com'],
        on_duration_warning_threshold_exceeded: ['slow@example.com'],
      },
      webhook_notifications: { on_failure: [{ id: 'team' }] },
      health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 30 }] },
    });
    const runId = await test.runNow(jobId);
    await test.untilTasks(1);
    test.runners.last.started();
    await test.clock.advance(29_000);
    assert.ok(!(await filesIn(test, 'mailbox')).some((mail) => mail.includes('slow@example.com')));
    await test.clock.advance(2000);
    test.runners.last.fail('It broke.');
    await test.untilState(runId, 'TERMINATED');
    await test.post('/api/2.0/jobs/delete', { job_id: jobId });
    const ready = test;
    const mails = await until(async () => {
      const found = await filesIn(ready, 'mailbox');
      return found.length >= 6 ? found : undefined;
    }, 'six mails');
    const to = mails.map((mail) => /^To: (.*)\r$/m.exec(mail)![1]);
    assert.deepEqual(
      to.toSorted((left = '', right = '') => left.localeCompare(right)),
      ['failure', 'failure', 'slow', 'slow', 'start', 'start'].map((name) => `${name}@example.com`),
    );
    const failure = mails.find((mail) => mail.includes('failure@example.com') && /run 1/.test(mail))!;
    assert.match(failure, /It broke\./);
    assert.match(failure, /http:\/\/127\.0\.0\.1:\d+\/runs\/1\//);
    const [webhook] = await filesIn(test, 'webhooks');
    const body = parseJson(webhook!) as { event_type: string; job: unknown; run: { run_id: number; state: unknown } };
    assert.deepEqual(
      [body.event_type, body.job, body.run.run_id],
      ['jobs.on_failure', { job_id: jobId, name: 'näme, "quoted"' }, runId],
    );
  });

  it('reach the configured mail server and no smuggled recipient', async () => {
    smtp = await startSmtp();
    const { lines, mails } = smtp;
    test = await startTestService({
      configuration: {
        discoverModels: false,
        smtp: { host: '127.0.0.1', port: smtp.port, from: 'jobs@example.com' },
      },
    });
    const smuggled = { name: 'x', email_notifications: { on_failure: ['one,two@example.com'] } };
    await assert.rejects(test.createJob(smuggled), /must be an e-mail address/);
    await runOnce(test, await test.createJob({ name: 'x', email_notifications: { on_failure: ['one@example.com'] } }));
    await until(
      async () => lines.includes('.'),
      () => `a mail; ${lines.join('|')}`,
    );
    const recipients = lines.filter((line) => /^RCPT TO/i.test(line));
    assert.equal(recipients.length, 1);
    assert.match(mails[0] ?? '', /^From: jobs@example\.com$/m);
  });

  it('are retried until delivered, also after a restart', async () => {
    const bodies: string[] = [];
    const deliveries: (string | undefined)[] = [];
    let isDown = true;
    const hook = createHttpServer((request, response) => {
      let body = '';
      request
        .setEncoding('utf8')
        .on('data', (chunk: string) => (body += chunk))
        .on('end', () => {
          bodies.push(body);
          deliveries.push(request.headers['x-millrace-delivery'] as string);
          response.statusCode = isDown ? 500 : 200;
          response.end();
        });
    });
    servers.push(hook);
    const url = `http://127.0.0.1:${await listen(hook)}/hook`;
    test = await startTestService({ configuration: { discoverModels: false, destinations: { team: { url } } } });
    await runOnce(test, await test.createJob({ webhook_notifications: { on_failure: [{ id: 'team' }] } }));
    const ready = test;
    await until(async () => bodies.length >= 1, 'a first attempt');
    await until(
      async () => ready.service.store.outbox.due(ready.clock.now() + 60_000, 1)[0]?.attempts === 1,
      'the failure to be noted',
    );
    await test.restart();
    isDown = false;
    await test.clock.advance(15_000);
    await until(async () => bodies.length >= 2, 'a second attempt');
    await until(async () => ready.service.store.outbox.earliest() === undefined, 'an empty outbox');
    assert.equal(deliveries[0], deliveries[1]);
    await test.clock.advance(3_600_000);
    assert.equal(bodies.length, 2);
  });

  it('follow no redirect with their headers', async () => {
    const asked: string[] = [];
    const other = createHttpServer((request, response) => {
      asked.push(`other ${request.headers['x-secret'] as string}`);
      response.end();
    });
    const target = `http://127.0.0.1:${await listen(other)}/`;
    const hook = createHttpServer((request, response) => {
      asked.push('hook');
      request.resume();
      response.writeHead(asked.length === 1 ? 307 : 302, { location: target }).end();
    });
    servers.push(other, hook);
    test = await startTestService({
      configuration: {
        discoverModels: false,
        destinations: { team: { url: `http://127.0.0.1:${await listen(hook)}/`, headers: { 'x-secret': 's' } } },
      },
    });
    await runOnce(test, await test.createJob({ webhook_notifications: { on_failure: [{ id: 'team' }] } }));
    const { service, clock } = test;
    for (const attempts of [1, 2]) {
      await until(
        async () => service.store.outbox.due(clock.now() + 3_600_000, 1)[0]?.attempts === attempts,
        () => `${attempts} attempts to be noted`,
      );
      await clock.advance(15_000);
    }
    assert.deepEqual(asked.slice(0, 2), ['hook', 'hook']);
    assert.ok(!asked.some((each) => each.startsWith('other')));
  });

  it('are stored together with the end of the run', async () => {
    test = await startTestService();
    const jobId = await test.createJob({ email_notifications: { on_failure: ['a@example.com'] } });
    const runId = await test.runNow(jobId);
    await test.untilTasks(1);
    // The state and the message are one transaction: if one cannot be stored, neither is.
    test.service.store.database.connection.exec('DROP TABLE outbox');
    test.runners.last.fail();
    await test.clock.advance(3000);
    assert.notEqual((await test.getRun(runId)).state.life_cycle_state, 'TERMINATED');
  });
});

describe('Recipients', () => {
  const base = { attemptNumber: 0, lifeCycle: 'TERMINATED', result: 'FAILED' } as RunRecord;
  const failed = base;
  const skipped = { ...base, lifeCycle: 'SKIPPED', result: undefined } as RunRecord;
  const cancelled = { ...base, result: 'CANCELED', stopping: 'CANCELED' } as RunRecord;
  const timedOut = { ...base, result: 'TIMEDOUT', stopping: 'TIMEDOUT' } as RunRecord;
  const retried = { ...base, attemptNumber: 1 } as RunRecord;

  const everybody: EngineSettings = {
    email_notifications: {
      on_start: ['a'],
      on_success: ['a'],
      on_failure: ['a', 'a'],
      on_duration_warning_threshold_exceeded: ['a'],
    },
    webhook_notifications: {
      on_start: [{ id: 'w' }],
      on_success: [{ id: 'w' }],
      on_failure: [{ id: 'w' }],
      on_duration_warning_threshold_exceeded: [{ id: 'w' }],
    },
  };

  function told(event: NotificationEvent, run: RunRecord, more: EngineSettings = {}, willRetry = false): string {
    const settings = {
      ...everybody,
      ...more,
      email_notifications: { ...everybody.email_notifications, ...more.email_notifications },
    };
    return recipientsOf(event, run, settings, willRetry)
      .map(({ kind }) => kind)
      .join(' ');
  }

  it('come from the list of the event, mails before webhooks, each once', () => {
    const own: EngineSettings = {
      email_notifications: { on_start: ['s', 't', 's'], on_success: ['u'], on_failure: ['f'] },
      webhook_notifications: { on_start: [{ id: 'w' }, { id: 'x' }, { id: 'w' }], on_failure: [{ id: 'y' }] },
    };
    const email = (target: string): object => ({ kind: 'email', target });
    const webhook = (target: string): object => ({ kind: 'webhook', target });
    assert.deepEqual(recipientsOf('on_start', base, own, false), [email('s'), email('t'), webhook('w'), webhook('x')]);
    assert.deepEqual(recipientsOf('on_success', base, own, false), [email('u')]);
    assert.deepEqual(recipientsOf('on_failure', base, own, false), [email('f'), webhook('y')]);
    assert.deepEqual(recipientsOf('on_duration_warning_threshold_exceeded', base, own, false), []);
  });

  it('depend on how the run ended', () => {
    const end = (lifeCycle: string, result?: string): string => eventOfEnd({ lifeCycle, result } as RunRecord);
    assert.equal(end('TERMINATED', 'SUCCESS'), 'on_success');
    for (const [lifeCycle, result] of [
      ['TERMINATED', 'FAILED'],
      ['TERMINATED', 'TIMEDOUT'],
      ['TERMINATED', 'CANCELED'],
      ['SKIPPED'],
      ['INTERNAL_ERROR', 'SUCCESS'],
      ['INTERNAL_ERROR'],
      ['INTERNAL_ERROR', 'FAILED'],
    ] as const) {
      assert.equal(end(lifeCycle, result), 'on_failure');
    }
  });

  it('leave skipped runs out if configured, in either place', () => {
    assert.equal(told('on_failure', skipped), 'email webhook');
    assert.equal(told('on_failure', skipped, { email_notifications: { no_alert_for_skipped_runs: true } }), 'webhook');
    assert.equal(told('on_failure', skipped, { notification_settings: { no_alert_for_skipped_runs: true } }), '');
    for (const more of [
      { notification_settings: { no_alert_for_skipped_runs: true } },
      { email_notifications: { no_alert_for_skipped_runs: true } },
    ]) {
      assert.equal(told('on_failure', failed, more), 'email webhook');
      assert.equal(told('on_start', skipped, more), 'email webhook');
    }
  });

  it('leave cancelled runs out if configured, but not timed-out ones', () => {
    const notification_settings = { no_alert_for_canceled_runs: true };
    assert.equal(told('on_failure', cancelled), 'email webhook');
    assert.equal(told('on_failure', cancelled, { notification_settings }), '');
    assert.equal(told('on_failure', timedOut, { notification_settings }), 'email webhook');
    // What was cancelled is, also where its end went wrong.
    const broken = { ...cancelled, lifeCycle: 'INTERNAL_ERROR', result: 'FAILED' } as RunRecord;
    assert.equal(told('on_failure', broken, { notification_settings }), '');
    assert.equal(told('on_start', cancelled, { notification_settings }), 'email webhook');
  });

  it('wait for the last attempt if configured', () => {
    const notification_settings = { alert_on_last_attempt: true };
    assert.equal(told('on_start', retried, { notification_settings }), '');
    assert.equal(told('on_start', failed, { notification_settings }), 'email webhook');
    assert.equal(told('on_failure', retried, { notification_settings }, true), '');
    assert.equal(told('on_failure', retried, { notification_settings }, false), 'email webhook');
    assert.equal(told('on_failure', retried, {}, true), 'email webhook');
    assert.equal(told('on_start', retried, {}), 'email webhook');
    assert.equal(told('on_success', retried, { notification_settings }), 'email webhook');
  });
});
