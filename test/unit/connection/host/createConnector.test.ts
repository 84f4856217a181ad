import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Intent } from '../../../../src/api/client/index.ts';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import type { Connector } from '../../../../src/connection/connector.ts';
import { FileIntentStore } from '../../../../src/connection/host/intentStore.ts';
import type { ProfileServices } from '../../../../src/connection/host/profileServices.ts';
import { DisposableStore } from '../../../../src/shared/lifecycle.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, shownTexts, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';
import { holdTrail } from '../../../support/trail.ts';
import { reply, startServer, workspace, type TestServer } from '../testServer.ts';

const { createConnector, tellOnce } = await import('../../../../src/connection/host/createConnector.ts');

describe('what a list lacks', () => {
  holdTrail(import.meta.url);
  beforeEach(() => editor.reset());

  it('is told once, however often it is met, and as plain text', () => {
    const [tell, other] = [tellOnce(), tellOnce()];
    for (const text of ['1 of 2 is left out.', '[x](command:y)', '1 of 2 is left out.']) tell(text);
    other('1 of 2 is left out.');
    assert.equal(shownTexts().length, 3);
    assert.deepEqual(shownTexts().filter((text) => text.startsWith('warning: 1 of 2 is left out.')).length, 2);
    assert.ok(!shownTexts().some((text) => text.includes('[x](command:y)')));
  });
});

describe('the connector of the editor', () => {
  holdTrail(import.meta.url, '-2');
  let folder: string;
  let server: TestServer;
  let asked: unknown[][];
  let lookedFor: number[];
  let disposables: DisposableStore;
  let profile: Profile;
  beforeEach(async () => {
    editor.reset();
    folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-connector-'));
    server = await startServer(workspace('right'));
    [asked, lookedFor, disposables] = [[], [], new DisposableStore()];
    profile = { ...localProfile, id: 'r', name: 'Remote', kind: 'remote', baseUrl: server.url };
  });
  afterEach(async () => {
    disposables.dispose();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const create = (secret = 'right', isFolderOpen = true): Connector => {
    const storage = (name: string) => standIn.Uri.file(path.join(folder, name));
    const services = {
      context: { storageUri: isFolderOpen ? storage('own') : undefined, globalStorageUri: storage('shared') },
      log: silentLogger,
      disposables,
      vault: { get: async ({ id }: Profile) => `${secret}${id === 'r' ? '' : '-of-another'}` },
      question: {
        ask: ({ id }: Profile, { status }: { status?: number }) => asked.push(['ask', id, status]),
        accepted: ({ id }: Profile) => asked.push(['accepted', id]),
      },
    } as unknown as ProfileServices;
    const launcher = async () => assert.fail('The local service is not wanted.');
    // Another window, which lives.
    const isProcessAlive = (id: number): boolean => (lookedFor.push(id), true);
    return createConnector(services, { launcher, isProcessAlive });
  };
  const list = async (connector: Connector, of = profile): Promise<unknown> =>
    (await connector.connect(of)).client.jobs.listRuns({}, { retry: 'fail' });
  const intent = (token: string, more: Partial<Intent> = {}): Intent => ({
    token,
    profile: `r ${server.url}`,
    createdAt: Date.now() - 1000,
    operation: 'jobs/run-now',
    body: `{"job_id":1,"idempotency_token":"${token}"}`,
    ...more,
  });

  it('signs in with what is stored for the profile, and asks for another where that is refused', async () => {
    const connector = create();
    await list(connector);
    assert.equal(server.requests[0]?.headers.authorization, 'Bearer right');
    assert.deepEqual(asked, []);
    const other = create('wrong');
    await assert.rejects(list(other), { kind: 'unauthenticated' });
    assert.deepEqual(asked, [['ask', 'r', 401]]);
  });

  it('says that a sign-in is taken again', async () => {
    let isTaken = false;
    await server.close();
    server = await startServer((request, response, body) =>
      isTaken ? workspace('right')(request, response, body) : reply(response, 401, { error_code: 'X', message: 'no' }),
    );
    profile = { ...profile, baseUrl: server.url };
    const connector = create();
    await assert.rejects(list(connector));
    isTaken = true;
    await list(connector);
    assert.deepEqual(asked, [
      ['ask', 'r', 401],
      ['accepted', 'r'],
    ]);
  });

  it('runs the command of a profile for its token, in a trusted workspace alone', async () => {
    const connector = create();
    const command: Profile = { ...profile, authKind: 'command', command: 'echo right' };
    standIn.workspace.isTrusted = false;
    await assert.rejects(connector.connect(command), { kind: 'untrusted' });
    standIn.workspace.isTrusted = true;
    await list(connector, command);
    assert.equal(server.requests[0]?.headers.authorization, 'Bearer right');
  });

  it('tells of entries that could not be read', async () => {
    await server.close();
    server = await startServer((_request, response) => reply(response, 200, { runs: [5, { run_id: 1 }] }));
    profile = { ...profile, baseUrl: server.url };
    const connector = create();
    await list(connector);
    await list(connector);
    assert.equal(shownTexts().length, 1);
    assert.match(shownTexts()[0] ?? '', /^warning: jobs\/runs\/list: 1 of 2 /);
  });

  it('shows that a call waits for a service that is not well', async () => {
    await server.close();
    server = await startServer((_request, response) =>
      reply(response, 503, { error_code: 'TEMPORARILY_UNAVAILABLE', message: 'Busy.' }, { 'retry-after': '30' }),
    );
    profile = { ...profile, baseUrl: server.url };
    const leaving = new AbortController();
    const { client } = await create().connect(profile);
    const call = client.jobs.listRuns({}, { signal: leaving.signal });
    await eventually(() => assert.equal(editor.progress.length, 1));
    leaving.abort();
    await assert.rejects(call, { kind: 'aborted' });
  });

  it('starts the run that was asked for before the editor closed, and says so', async () => {
    const { createdAt } = intent('t');
    const store = new FileIntentStore(path.join(folder, 'own', 'intents'));
    await store.save(intent('t', { createdAt }));
    await new FileIntentStore(path.join(folder, 'shared', 'intents')).save(intent('of others'));
    await create().connect(profile);
    await eventually(() => assert.equal(editor.shown.length, 1));
    const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }).format(createdAt);
    assert.deepEqual(shownTexts(), [
      `information: The run that was asked for at ${time}, when the editor closed, has been started on "Remote": run 7.`,
    ]);
    assert.deepEqual(
      server.requests.map(({ body }) => body),
      ['{"job_id":1,"idempotency_token":"t"}'],
    );
    await eventually(async () => assert.deepEqual(await store.list(), []));
  });

  it('looks without a folder where all such windows keep what they ask for, and leaves what another one carries out', async () => {
    const shared = path.join(folder, 'shared', 'intents');
    await new FileIntentStore(shared).save(intent('mine'));
    await new FileIntentStore(shared, silentLogger, { processId: 4_000_000 }).save(intent('of another'));
    await create('right', false).connect(profile);
    await eventually(() => assert.deepEqual(lookedFor.slice(0, 1), [4_000_000]));
    assert.deepEqual(server.requests, [], 'it may end any moment');
  });

  it('says why such a run was not started', async () => {
    await server.close();
    server = await startServer((_request, response) =>
      reply(response, 400, { error_code: 'INVALID_PARAMETER_VALUE', message: 'There is no job 1.' }),
    );
    profile = { ...profile, baseUrl: server.url };
    await new FileIntentStore(path.join(folder, 'own', 'intents')).save(intent('t'));
    await create().connect(profile);
    await eventually(() => assert.equal(editor.shown.length, 1));
    assert.match(
      shownTexts()[0] ?? '',
      /^warning: The run that was asked for at .+, when the editor closed, was not started on "Remote": .*There is no job 1\./,
    );
  });

  it('goes with the extension, and its notification of waits as well', async () => {
    const connector = create();
    const first = await connector.connect(profile);
    assert.equal(await connector.connect(profile), first);
    assert.equal(editor.commands.has('millrace.connection.retryNow'), true);
    disposables.dispose();
    assert.equal(editor.commands.has('millrace.connection.retryNow'), false);
    assert.notEqual(await connector.connect(profile), first, 'nothing of before is kept');
  });
});
