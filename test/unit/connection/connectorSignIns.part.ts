import assert from 'node:assert/strict';
import type { Intent, IntentStore } from '../../../src/api/client/index.ts';
import { localProfile, type Profile } from '../../../src/connection/connection.ts';
import { Connector, type ConnectorOptions } from '../../../src/connection/connector.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { Emitter } from '../../../src/shared/event.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';

const remote: Profile = { ...localProfile, id: 'r', name: 'Remote', kind: 'remote', baseUrl: 'https://r.example' };

/** A connector whose services answer by `answer`, and all that it says and asks. */
function bench(more: Partial<ConnectorOptions> = {}) {
  const clock = new FakeClock();
  const log: unknown[] = [];
  const sent: { url: string; signIn: string | null; signal: AbortSignal | undefined }[] = [];
  const state = { status: 200, printed: 0, url: 'http://127.0.0.1:5' };
  const fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
    const signIn = new Headers(init?.headers).get('authorization');
    sent.push({ url: String(url), signIn, signal: init?.signal ?? undefined });
    const { status } = state;
    const body = status === 200 ? { runs: [], has_more: false, run_id: 7 } : { error_code: 'X', message: 'no' };
    return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  };
  const exits = new Emitter<unknown>();
  const connector = new Connector({
    log: {
      ...silentLogger,
      warn: (text: string) => void log.push(['warn', text]),
      error: (text: string) => void log.push(['error', text]),
    },
    launcher: async () => ({
      onDidExit: exits.event,
      start: async () => ({ url: state.url, token: 'local-token' }),
      isUsed: () => true,
      isStopped: () => false,
      stop: async () => undefined,
    }),
    secretOf: async ({ id }) => (id === 'r' ? 'secret' : undefined),
    runCommand: async ({ command }) => `${command}-${(state.printed += 1)}`,
    isTrusted: () => true,
    signInNeeded: (profile, error) => log.push(['needed', profile, error.kind, error.status]),
    signInAccepted: (profile) => log.push(['accepted', profile]),
    clientOptions: { retry: 'fail', fetch: fetch as never },
    clock,
    ...more,
  });
  return { clock, connector, log, sent, state };
}
const intent = (token: string, profile: string, createdAt: number): Intent => ({
  token,
  profile,
  createdAt,
  operation: 'jobs/run-now',
  body: `{"job_id":1,"idempotency_token":"${token}"}`,
});
const storeOf = (...all: Intent[]): IntentStore & { readonly tokens: string[] } => {
  const kept = new Map(all.map((each) => [each.token, each]));
  return {
    save: async (each) => void kept.set(each.token, each),
    settle: async (token) => void kept.delete(token),
    list: async () => [...kept.values()],
    get tokens() {
      return [...kept.keys()];
    },
  };
};
const list = async (connector: Connector, profile: Profile): Promise<unknown> =>
  (await connector.connect(profile)).client.jobs.listRuns();

describe('the sign-ins of a connector', () => {
  it('are told of with their profile and what the service said, and once when they are taken again', async () => {
    const { connector, log, state } = bench();
    await list(connector, remote);
    assert.deepEqual(log, []);
    state.status = 401;
    await assert.rejects(list(connector, remote), { kind: 'unauthenticated' });
    state.status = 200;
    await list(connector, remote);
    await list(connector, remote);
    assert.deepEqual(log, [
      ['needed', remote, 'unauthenticated', 401],
      ['accepted', remote],
    ]);
  });

  it('are not told of where something else failed', async () => {
    const { connector, log, state } = bench();
    for (const status of [403, 404, 429, 500]) {
      state.status = status;
      await assert.rejects(list(connector, remote));
    }
    assert.deepEqual(log, []);
    connector.dispose();
  });

  it('are not taken by a late answer to the profile as it was before', async () => {
    const { connector, log, state } = bench();
    const before = await connector.connect({ ...remote, name: 'Before' });
    state.status = 401;
    await assert.rejects(list(connector, remote));
    state.status = 200;
    await before.client.jobs.listRuns();
    assert.equal(log.length, 1);
    await list(connector, remote);
    assert.deepEqual(log.slice(1), [['accepted', remote]]);
  });

  it('that are missing are asked for by their profile, and nothing is sent', async () => {
    for (const authKind of ['bearer', 'basic', 'header'] as const) {
      const { connector, log, sent } = bench();
      const profile: Profile = { ...remote, id: 'other', authKind, headerName: 'x-key', userName: 'me' };
      await assert.rejects(list(connector, profile), {
        kind: 'unauthenticated',
        message: 'There is no stored sign-in of profile "Remote" for https://r.example. Nothing was sent.',
      });
      assert.deepEqual([log, sent], [[['needed', profile, 'unauthenticated', undefined]], []]);
    }
  });

  it('by a command that prints the same again are not sent again', async () => {
    let runs = 0;
    const { connector, log, sent, state } = bench({ runCommand: async () => `same-${(runs += 1) > 0}` });
    const profile: Profile = { ...remote, authKind: 'command', command: 'tool' };
    state.status = 401;
    await assert.rejects(list(connector, profile), { kind: 'unauthenticated' });
    assert.deepEqual([runs, sent.length], [2, 1]);
    assert.deepEqual(log, [['needed', profile, 'unauthenticated', 401]]);
  });

  it('by a command that fails where a new one is needed are told of, with the reason in the log', async () => {
    let runs = 0;
    const runCommand = async (): Promise<string> => {
      runs += 1;
      if (runs > 1) throw new AppError('unavailable', 'The tool is gone.');
      return 'printed';
    };
    const { connector, log, state } = bench({ runCommand });
    const profile: Profile = { ...remote, authKind: 'command', command: 'tool' };
    state.status = 401;
    await assert.rejects(list(connector, profile), { kind: 'unauthenticated' });
    assert.deepEqual(log, [
      ['warn', 'The command of profile "Remote" did not give a new token: The tool is gone.'],
      ['needed', profile, 'unauthenticated', 401],
    ]);
  });

  it('of what is not trusted are refused in words that say what to do', async () => {
    const { connector, sent } = bench({ isTrusted: () => false });
    const remedy = 'Trust this workspace, or choose a remote profile that runs no program.';
    await assert.rejects(connector.connect(localProfile), {
      kind: 'untrusted',
      message:
        'The local service runs programs on this machine, so it does not start while the workspace is not trusted.',
      remedy,
    });
    await assert.rejects(connector.connect({ ...remote, authKind: 'command' }), {
      kind: 'untrusted',
      message:
        'The profile "Remote" signs in by running a command, which is not done while the workspace is not trusted. Nothing was sent.',
      remedy,
    });
    assert.deepEqual(sent, []);
  });

  it('of the local service are its token, at its address', async () => {
    const { connector, sent } = bench();
    await list(connector, localProfile);
    assert.deepEqual(
      sent.map(({ url, signIn }) => [url, signIn]),
      [['http://127.0.0.1:5/api/2.0/jobs/runs/list', 'Bearer local-token']],
    );
  });

  it('of an address that is none are a failure of the connection', async () => {
    const { connector, sent } = bench();
    const wrong = { ...remote, baseUrl: 'no address' };
    await assert.rejects(connector.connect(wrong));
    assert.deepEqual(sent, []);
  });
});

describe('the interrupted runs of a connector', () => {
  it('are those from before it was made, of the local service by its profile alone', async () => {
    const clock = new FakeClock();
    const now = clock.now();
    const intents = storeOf(intent('before', 'local', now - 1), intent('at once', 'local', now));
    const told: unknown[] = [];
    const { connector, state, sent } = bench({
      clock,
      intents,
      resumed: (profile, resumed) => told.push([profile, 'runId' in resumed ? resumed.runId : 'error']),
    });
    await connector.connect(localProfile);
    await settle();
    assert.deepEqual([told, intents.tokens], [[[localProfile, '7']], ['at once']]);
    state.url = 'http://127.0.0.1:6';
    connector.forget('local');
    await connector.connect(localProfile);
    await settle();
    assert.equal(sent.length, 1, 'they are looked for once');
    connector.dispose();
  });

  it('of a read-only profile stay as they are', async () => {
    const intents = storeOf(intent('before', 'r https://r.example', new FakeClock().now() - 1));
    const { connector, sent } = bench({ intents });
    await connector.connect({ ...remote, readOnly: true });
    await settle();
    assert.deepEqual([sent, intents.tokens], [[], ['before']]);
    await connector.connect(remote);
    await settle();
    assert.deepEqual([sent.length, intents.tokens], [1, []]);
  });

  it('that cannot be looked for are a line in the log', async () => {
    const intents = { ...storeOf(), list: () => Promise.reject(new Error('EACCES')) };
    const { connector, log } = bench({ intents });
    await connector.connect(remote);
    await settle();
    assert.deepEqual(log, [['error', 'Interrupted runs could not be looked for: EACCES']]);
  });

  it('are asked for no more once it is over', async () => {
    const intents = storeOf(intent('before', 'r https://r.example', new FakeClock().now() - 1));
    const reasons: unknown[] = [];
    const hanging = (_url: unknown, init?: RequestInit): Promise<Response> =>
      new Promise((_resolve, reject) => {
        const leave = (): void => {
          reasons.push(init?.signal?.reason);
          reject(new AppError('aborted', 'Left.'));
        };
        init?.signal?.addEventListener('abort', leave, { once: true });
      });
    const told: unknown[] = [];
    const { connector } = bench({
      intents,
      clientOptions: { fetch: hanging as never },
      resumed: (_profile, resumed) => told.push(resumed),
    });
    await connector.connect(remote);
    await settle();
    assert.deepEqual(reasons, []);
    connector.dispose();
    await settle();
    assert.deepEqual([reasons.length, told, intents.tokens], [1, [], ['before']], 'the next process asks for it again');
  });
});
