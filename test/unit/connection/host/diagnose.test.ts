import assert from 'node:assert/strict';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import { createDraftClient } from '../../../../src/connection/createDraftClient.ts';
import type { ProfileServices } from '../../../../src/connection/host/profileServices.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';
import { reply, startServer, workspace, type TestServer } from '../testServer.ts';

const { diagnoseConnection } = await import('../../../../src/connection/host/diagnose.ts');

describe('the report of a connection', () => {
  holdTrail(import.meta.url);
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

  it('tells of a connection that works, and holds no secret', async () => {
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
    const versions = section(text, 'Versions');
    assert.deepEqual(
      [versions[0], versions[1], versions[2], versions[4]],
      ['- Millrace: 9.9.9', '- Editor: 1.0.0', `- Node: ${process.version}`, '- Extension host: local'],
    );
    assert.deepEqual(section(text, 'Network, bypassing any proxy'), [
      '- ✓ DNS, the name 127.0.0.1: 127.0.0.1 (N ms)',
      '- ✓ TCP, port PORT: connected to 127.0.0.1:PORT (N ms)',
    ]);
    const proxies = section(text, 'Proxy and certificates');
    assert.equal(proxies.length, 12);
    for (const line of [
      '- http.proxySupport: not set',
      '- http.proxyStrictSSL: true',
      '- http.noProxy: ["a","b"]',
      '- ALL_PROXY: not set',
    ])
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
    assert.deepEqual(editor.progress[0]?.options, {
      location: standIn.ProgressLocation.Notification,
      title: 'Diagnosing the connection of profile "Remote"',
      cancellable: true,
    });
  });

  it('tells of one that does not, and why', async () => {
    secret = undefined;
    profile = { ...profile, production: true, readOnly: true };
    const text = await report();
    assert.match(text, /\n\nThe connection does not work\. /);
    assert.deepEqual(section(text, 'Profile').slice(3, 6), [
      '- Stored sign-in for this address: none (Millrace: Sign In to Profile…)',
      '- Production: yes',
      '- Read-only: yes',
    ]);
    assert.match(section(text, 'Requests, as the extension sends them')[0] ?? '', /^- ✗ jobs\/runs\/list: /);
  });

  it('tells nothing once it is given up', async () => {
    const { withProgress } = standIn.window;
    const stop = { fire: (): void => undefined };
    standIn.window.withProgress = (options, task) =>
      withProgress.call(standIn.window, options, async (progress: unknown) => {
        const token = {
          isCancellationRequested: false,
          onCancellationRequested: (listener: () => void) => ((stop.fire = listener), { dispose: () => undefined }),
        };
        return task(progress as never, token as never);
      });
    await server.close();
    const asked = Promise.withResolvers<void>();
    server = await startServer(() => asked.resolve());
    profile = { ...profile, baseUrl: server.url };
    try {
      const diagnosed = diagnoseConnection(services(), profile);
      await asked.promise;
      stop.fire();
      await assert.rejects(diagnosed, { kind: 'aborted' });
    } finally {
      Object.assign(standIn.window, { withProgress });
    }
    assert.deepEqual(editor.opened, []);
  });

  it('asks each thing once, also where a service says that it is busy', async () => {
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

  it('passes no waiting on to the client of the local service either, and can be left', async () => {
    const given: { signal?: AbortSignal; retry?: string }[] = [];
    const answer =
      (value: unknown) =>
      async (...options: object[]) => (given.push(options.at(-1) as object), value);
    const client = {
      baseUrl: server.url,
      jobs: { listRuns: answer({ runs: [] }) },
      inference: { listEndpoints: answer([]) },
      clusters: { sparkVersions: answer({}) },
    };
    const local = {
      ...services(),
      connector: async () => ({ forget: () => undefined, connect: async () => ({ client }) }),
    };
    await diagnoseConnection(local as never, { ...localProfile });
    assert.deepEqual(
      given.map(({ retry, signal }) => [retry, signal instanceof AbortSignal]),
      Array.from({ length: 5 }, () => ['fail', true]),
    );
  });

  it('says whether a secret is stored for each kind of sign-in that has one, and of no other', async () => {
    const says = async (authKind: Profile['authKind']): Promise<string | undefined> => {
      profile = { ...profile, authKind, userName: 'me', headerName: 'X-Key', command: 'echo x' };
      return section(await report(), 'Profile').find((line) => line.startsWith('- Stored sign-in'));
    };
    for (const kind of ['bearer', 'basic', 'header'] as const)
      assert.equal(await says(kind), '- Stored sign-in for this address: yes', kind);
    for (const kind of ['none', 'command'] as const) assert.equal(await says(kind), undefined, kind);
  });

  it('says of a profile what it is, each by itself', async () => {
    const says = async (change: Partial<Profile>): Promise<string[]> => {
      profile = { ...profile, production: false, readOnly: false, ...change };
      return section(await report(), 'Profile').slice(-3);
    };
    assert.deepEqual(await says({ production: true }), [
      '- Production: yes',
      '- Read-only: no',
      '- Workspace trusted: yes',
    ]);
    standIn.workspace.isTrusted = false;
    assert.deepEqual(await says({ readOnly: true }), [
      '- Production: no',
      '- Read-only: yes',
      '- Workspace trusted: no',
    ]);
  });

  it('runs the command of a profile, and shows nothing of its token', async () => {
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
      /\n\nThe command was not run, because the workspace is not trusted\. Trust it, then diagnose again\.\n/,
    );
    assert.match(untrusted, /- Workspace trusted: no/);
  });

  it('shows no secret that the service itself repeats, whether it is stored or printed', async () => {
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

  it('starts the local service for it', async () => {
    const { baseUrl: _baseUrl, ...rest } = profile;
    profile = { ...rest, id: 'local', kind: 'local' } as Profile;
    Object.assign(profile, { baseUrl: undefined });
    const connect = { ...profile };
    profile = { ...connect, baseUrl: server.url };
    const text = await report();
    assert.deepEqual(forgotten, ['local']);
    assert.equal(
      section(text, 'Requests, as the extension sends them')[0],
      '- ✓ Start of the local service: URL (N ms)',
    );
    assert.match(text, /- Sign-in: by itself/);
    secret = 'no service';
    profile = connect;
    const failed = await report();
    assert.match(failed, /\n\nIt cannot be started\.\n/);
    assert.deepEqual(section(failed, 'Network, bypassing any proxy'), [
      '- – Not looked at: the local service is on this machine',
    ]);
  });
});
