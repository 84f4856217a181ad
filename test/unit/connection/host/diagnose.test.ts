import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import { createDraftClient } from '../../../../src/connection/createDraftClient.ts';
import { formatReport } from '../../../../src/connection/diagnosisReport.ts';
import type { ProfileServices } from '../../../../src/connection/host/profileServices.ts';
import { RetryCountdown } from '../../../../src/connection/retryCountdown.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import '../../../support/editorStandIn/editorStandIn.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { selfSigned } from '../../service/support/selfSigned.ts';
import { reply, startServer, type TestServer, workspace } from '../testServer.ts';

const { diagnoseConnection } = await import('../../../../src/connection/host/diagnose.ts');

const { probeNetwork } = await import('../../../../src/connection/host/networkProbe.ts');

describe('the diagnosis of a connection', () => {
  let server: TestServer;
  let profile: Profile;
  let secret: string | undefined;
  let forgotten: string[];
  const proxy = process.env['HTTPS_PROXY'];
  beforeEach(async () => {
    editor.reset();
    server = await startServer(workspace('right-and-long'));
    profile = { ...localProfile, id: 'r', name: 'Remote', kind: 'remote', baseUrl: server.url, authKind: 'bearer' };
    [secret, forgotten] = ['right-and-long', []];
    process.env['HTTPS_PROXY'] = 'http://user:hidden@proxy.example:3128';
  });
  afterEach(async () => {
    if (proxy === undefined) delete process.env['HTTPS_PROXY'];
    else process.env['HTTPS_PROXY'] = proxy;
    await server.close();
  });
  const services = (): ProfileServices =>
    ({
      context: { extension: { packageJSON: { version: '9.9.9' } } },
      log: silentLogger,
      vault: { get: async () => secret },
      connector: async () => ({
        forget: (id: string) => forgotten.push(id),
        connect: async () => {
          if (secret === 'no service') throw new Error('It cannot be started.');
          return {
            client: createDraftClient({ ...profile, kind: 'remote' }, 'right-and-long', {
              log: silentLogger,
              fetch,
              runCommand: async () => '',
            }),
          };
        },
      }),
    }) as never;
  /** Without what differs between machines. */
  const report = async (): Promise<string> => {
    await diagnoseConnection(services(), profile);
    const [document] = editor.opened.splice(0) as { language: string; content: string }[];
    assert.equal(document?.language, 'markdown');
    assert.deepEqual(editor.shownDocuments.at(-1)?.[1], { preview: false });
    return (document?.content ?? '')
      .replaceAll(server.url, 'URL')
      .replaceAll(String(server.port), 'PORT')
      .replaceAll(/\(\d+ ms\)/g, '(N ms)');
  };
  const section = (text: string, title: string): string[] =>
    (text.split(`## ${title}\n\n`)[1] ?? '').split('\n\n')[0]?.split('\n') ?? [];

  it('reports a working connection without a secret', async () => {
    editor.settings['http.proxy'] = 'http://me:hidden@p.example';
    editor.settings['http.noProxy'] = ['a', 'b'];
    editor.settings['http.proxyStrictSSL'] = true;
    const text = await report();
    assert.match(text, /^# Millrace: connection of profile "Remote", \d{4}-\d\d-\d\dT/);
    assert.match(text, /\n\nThe connection works\./);
    assert.deepEqual(section(text, 'Profile'), [
      '- Name: Remote',
      '- Address: URL',
      '- Sign-in: bearer',
      '- Stored sign-in for this address: yes',
      '- Production: no',
      '- Read-only: no',
      '- Workspace trusted: yes',
    ]);
    assert.deepEqual(section(text, 'Versions').slice(0, 2), ['- Millrace: 9.9.9', '- Editor: 1.0.0']);
    assert.deepEqual(section(text, 'Network, bypassing any proxy'), [
      '- ✓ DNS, the name 127.0.0.1: 127.0.0.1 (N ms)',
      '- ✓ TCP, port PORT: connected to 127.0.0.1:PORT (N ms)',
    ]);
    const proxies = section(text, 'Proxy and certificates');
    for (const line of ['- http.proxyStrictSSL: true', '- http.noProxy: ["a","b"]', '- ALL_PROXY: not set'])
      assert.ok(proxies.includes(line), line);
    assert.match(proxies.join('\n'), /- http\.proxy: \S*p\.example[\s\S]*- HTTPS_PROXY: \S*proxy\.example:3128/);
    assert.doesNotMatch(text, /hidden|right-and-long/);
    assert.deepEqual(section(text, 'Requests, as the extension sends them').slice(0, 2), [
      '- ✓ jobs/runs/list: 0 run(s) in a page of one (N ms)',
      '- ✓ serving-endpoints/list: 1 endpoint(s) (N ms)',
    ]);
    assert.match(
      section(text, 'Requests, as the extension sends them')[2] ?? '',
      /^- ✗ clusters\/spark-versions: .*No such path\./,
    );
  });

  it('reports a failing connection with the reason', async () => {
    secret = undefined;
    profile = { ...profile, production: true, readOnly: true };
    const text = await report();
    assert.match(text, /\n\nThe connection failed\. /);
    assert.deepEqual(section(text, 'Profile').slice(3, 6), [
      '- Stored sign-in for this address: none (Millrace: Sign In to Profile…)',
      '- Production: yes',
      '- Read-only: yes',
    ]);
    assert.match(section(text, 'Requests, as the extension sends them')[0] ?? '', /^- ✗ jobs\/runs\/list: /);
  });

  it('asks each question once, even if the service is busy', async () => {
    await server.close();
    server = await startServer((_request, response) =>
      reply(response, 503, { error_code: 'TEMPORARILY_UNAVAILABLE', message: 'Busy.' }, { 'retry-after': '30' }),
    );
    profile = { ...profile, baseUrl: server.url };
    const calls = section(await report(), 'Requests, as the extension sends them');
    assert.deepEqual(
      calls.map((line) => line.slice(0, 4)),
      ['- ✗ ', '- ✗ ', '- ✗ '],
    );
    assert.deepEqual(
      server.requests.map(({ path }) => path.split('/api/2.0/')[1]),
      ['jobs/runs/list?limit=1', 'serving-endpoints', 'clusters/spark-versions'],
    );
  });

  it('runs the token command and hides the token', async () => {
    profile = { ...profile, authKind: 'command', command: 'echo right-and-long' };
    const text = await report();
    assert.match(text, /The connection works\./);
    assert.equal(
      section(text, 'Requests, as the extension sends them')[0],
      '- ✓ Command: it printed a token of 14 characters',
    );
    assert.doesNotMatch(text, /Stored sign-in|right-and-long/);
    profile = { ...profile, command: 'exit 3' };
    assert.match(section(await report(), 'Requests, as the extension sends them')[0] ?? '', /^- ✗ Start: /);
    standIn.workspace.isTrusted = false;
    const untrusted = await report();
    assert.match(
      untrusted,
      /\n\nThe command did not run because the workspace is not trusted\. Trust it, then diagnose again\.\n/,
    );
    assert.match(untrusted, /- Workspace trusted: no/);
  });

  it('hides a secret that the service repeats', async () => {
    const telling = await startServer(({ headers }, response) =>
      reply(response, 403, { error_code: 'PERMISSION_DENIED', message: `Not with ${headers.authorization}.` }),
    );
    try {
      profile = { ...profile, baseUrl: telling.url };
      const kinds: Partial<Profile>[] = [{}, { authKind: 'command', command: 'echo printed-and-long' }];
      for (const kind of kinds) {
        profile = { ...profile, ...kind };
        const text = await report();
        assert.match(text, /Not with/);
        assert.doesNotMatch(text, /-and-long/);
      }
    } finally {
      await telling.close();
    }
  });
});

const canary = 'dapi+Canary/4711=secret';

const forms = [canary, Buffer.from(canary).toString('base64'), encodeURIComponent(canary)];

describe('the diagnosis report', () => {
  it('contains no secret in any form', () => {
    const facts = forms.map((form, index): [string, string] => [`fact ${index}`, `before ${form} after`]);
    const text = formatReport(
      {
        title: canary,
        verdict: `Authorization: Bearer ${canary}`,
        sections: [
          {
            title: 's',
            facts: [...facts, ['HTTPS_PROXY', 'http://user:pass-word@proxy:3128']],
            findings: [{ name: 'f', ok: false, outcome: `{"access_token":"${canary}"}` }],
          },
        ],
        closing: '',
      },
      [canary],
    );
    for (const form of forms) assert.ok(!text.includes(form), form);
    assert.ok(!text.includes('pass-word'));
    assert.match(text, /before ••• after/);
  });
});

describe('the network probe', () => {
  const servers: Server[] = [];
  after(() => servers.forEach((server) => server.close()));

  async function listening(server: Server): Promise<number> {
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }
  const probe = async (url: string): Promise<string[]> =>
    (await probeNetwork(url)).map(({ name, ok, outcome, durationInMs = -1 }) => {
      assert.ok(durationInMs >= 0 && durationInMs < 10_000);
      return `${name}: ${ok ? 'yes' : 'no'}: ${outcome}`;
    });

  it('ends at the failing step', async () => {
    const server = createServer();
    const port = await listening(server);
    servers.pop()?.close();
    await once(server, 'close');
    const [dns, tcp, more] = await probe(`https://127.0.0.1:${port}`);
    assert.equal(dns, 'DNS, the name 127.0.0.1: yes: 127.0.0.1');
    assert.match(tcp ?? '', new RegExp(`^TCP, port ${port}: no: .*ECONNREFUSED`));
    assert.equal((tcp ?? '').match(/ECONNREFUSED/g)?.length, 1);
    assert.equal(more, undefined);
    const [name, further] = await probe('http://nowhere.invalid');
    assert.match(name ?? '', /^DNS, the name nowhere\.invalid: no: .*(?:ENOTFOUND|EAI_AGAIN)/);
    assert.equal(further, undefined);
  });

  it('reports a refused certificate and its owner', async () => {
    const { cert, key } = selfSigned();
    const port = await listening(createTlsServer({ cert, key }));
    const [, , tls] = await probe(`https://127.0.0.1:${port}`);
    assert.match(tls ?? '', /^TLS: no: TLSv1\.\d, certificate of .+ from .+, valid to .+; rejected: /);
  });

  it('gives a silent server ten seconds', async () => {
    const port = await listening(createServer((socket) => void socket.on('error', () => undefined)));
    const { setTimeout: limited } = Socket.prototype;
    const limits: unknown[] = [];
    const closed: boolean[] = [];
    Socket.prototype.setTimeout = function setTimeout(this: Socket, limitInMs: number, passed?: () => void) {
      limits.push(limitInMs);
      // Of the steps only the one of encryption gets no answer.
      if (this instanceof TLSSocket)
        this.once('connect', () => {
          this.once('close', () => closed.push(true));
          passed?.();
        });
      return this;
    };
    try {
      const [, tcp, tls] = await probe(`https://127.0.0.1:${port}`);
      assert.deepEqual(
        [tcp, tls],
        [`TCP, port ${port}: yes: connected to 127.0.0.1:${port}`, 'TLS: no: no answer within 10 s'],
      );
      assert.deepEqual(limits, [10_000, 10_000]);
      await eventually(() => assert.deepEqual(closed, [true]));
    } finally {
      Socket.prototype.setTimeout = limited;
    }
  });
});

describe('the countdown of retries', () => {
  it('counts the seconds down', async () => {
    const clock = new FakeClock(0);
    const countdown = new RetryCountdown(clock);
    const seen: (number | undefined)[] = [];
    countdown.onDidChange((value) => seen.push(value?.secondsLeft));
    const reason = new AppError('server', 'The server is not available.');
    const times = { waitUntil: 4_000, giveUpAt: 600_000, ended: new Promise<void>(() => undefined) };
    countdown.add({
      operation: 'jobs/list',
      attempt: 1,
      reason,
      ...times,
      retryNow: () => undefined,
      stop: () => undefined,
    });
    await clock.advance(3_000);
    countdown.dispose();
    assert.deepEqual([seen.slice(0, 4), clock.pending], [[4, 3, 2, 1], 0]);
  });
});
