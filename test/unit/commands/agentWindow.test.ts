import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { createAgentWindow } from '../../../src/commands/agentWindow.ts';
import type { AgentWindow } from '../../../src/shared/agentWindow.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { AgentPipe, openAgentPipe } from '../../../src/shared/node/agentPipe.ts';
import { Bench, goodFile, staging } from './commandSetup.ts';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const order = { profile: 'Staging', path: 'nightly.job.yml', digest: digestOf(goodFile) };
const { signal } = new AbortController();
const isOfKind = (kind: string) => (error: unknown) => error instanceof AppError && error.kind === kind;

describe('a window that an agent asks to deploy', () => {
  let bench: Bench;
  let isOn: boolean;
  let window: AgentWindow;
  const deploy = (given: object = order): Promise<string> => window.deploy(given as typeof order, signal);
  const useProfile = (protection: object): void => {
    const { connections } = bench.services;
    bench.services.connections = { ...connections, profiles: [{ ...staging, ...protection }] };
  };
  beforeEach(() => {
    bench = new Bench();
    isOn = true;
    window = createAgentWindow(bench.services, { isOn: () => isOn, digestOf });
  });

  it('creates a job only after the user has agreed', async () => {
    bench.meanwhile = () => assert.equal(bench.remote.size, 0);
    bench.decisions = ['Deploy on Staging'];
    await deploy();
    assert.ok(bench.trail.includes('staging: create 9007199254740993'));
  });

  it('does not ask again for what the user has declined', async () => {
    await deploy();
    bench.decisions = ['Deploy on Staging'];
    await assert.rejects(deploy(), isOfKind('rejected'));
    assert.equal(bench.remote.size, 0);
  });

  it('asks again after the user has only looked at the file', async () => {
    bench.decisions = ['Open File'];
    await deploy();
    bench.decisions = ['Deploy on Staging'];
    await deploy();
    assert.equal(bench.remote.size, 1);
  });

  it('deploys nothing once the agent no longer waits, whatever the user answers', async () => {
    const controller = new AbortController();
    bench.meanwhile = () => controller.abort();
    bench.decisions = ['Deploy on Staging'];
    await assert.rejects(window.deploy(order, controller.signal));
    assert.equal(bench.remote.size, 0);
  });

  it('asks before it changes a job, even if previews are turned off', async () => {
    bench.decisions = ['Deploy on Staging'];
    await deploy();
    const changed = `${goodFile}max_retries: 2\n`;
    bench.texts.set('file:///w/nightly.job.yml', changed);
    bench.trail = [];
    bench.meanwhile = () => assert.ok(!bench.trail.some((line) => line.includes('reset')));
    bench.decisions = ['Deploy'];
    await deploy({ ...order, digest: digestOf(changed) });
    assert.match(bench.trail[0] ?? '', /^decide: An agent asks/);
    assert.ok(bench.trail.includes('staging: reset 9007199254740993'));
  });

  for (const protection of [{ production: true }, { readOnly: true }])
    it(`refuses a profile with ${Object.keys(protection).join()}, and asks nobody`, async () => {
      useProfile(protection);
      await assert.rejects(deploy(), isOfKind('readOnly'));
      assert.deepEqual(bench.trail, []);
    });

  it('refuses a file that is not the one that was planned', async () => {
    bench.texts.set('file:///w/nightly.job.yml', `${goodFile}# typed just now\n`);
    await assert.rejects(deploy(), isOfKind('rejected'));
    assert.deepEqual(bench.trail, []);
  });

  it('refuses everything while agents are turned off', async () => {
    isOn = false;
    await assert.rejects(deploy(), isOfKind('unavailable'));
  });

  it('refuses orders with other fields than those it knows', async () => {
    for (const given of [{}, { ...order, profile: 5 }, { ...order, digest: '../../x' }, null, 'Staging'])
      await assert.rejects(deploy(given as object), isOfKind('invalid'));
  });
});

describe('the pipe between a window and a server for agents', () => {
  let pipe: AgentPipe;
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
    pipe = new AgentPipe(createAgentWindow(bench.services, { isOn: () => true, digestOf }), () => undefined);
  });
  afterEach(() => pipe.dispose());

  /** Resolves when the window closes a connection on which this was written. */
  const isClosedAfter = async (text: string): Promise<true> => {
    const { address } = await pipe.invite();
    const socket = connect(address, () => socket.write(text));
    return new Promise((resolve) => socket.on('error', () => undefined).on('close', () => resolve(true)));
  };

  it('passes on what the window reads, with exact ids', async () => {
    bench.remote.set('9007199254740993', { name: 'nightly' });
    const agent = openAgentPipe(await pipe.invite());
    const jobs = await agent.read('Staging', 'list', undefined, signal);
    assert.deepEqual(jobs, [{ job_id: '9007199254740993', settings: { name: 'nightly' } }]);
    agent.close();
  });

  it('passes on errors with their kind', async () => {
    const agent = openAgentPipe(await pipe.invite());
    await assert.rejects(agent.read('Nowhere', 'list', undefined, signal), isOfKind('notFound'));
    agent.close();
  });

  it('reads nothing but jobs and runs', async () => {
    bench.remote.set('1', { name: 'nightly' });
    const agent = openAgentPipe(await pipe.invite());
    for (const operation of ['delete', 'reset', 'runNow', 'constructor', '__proto__'])
      await assert.rejects(agent.read('Staging', operation as 'get', '1', signal), isOfKind('invalid'));
    assert.deepEqual([bench.trail, bench.remote.size], [[], 1]);
    agent.close();
  });

  it('takes each key once', async () => {
    const invitation = await pipe.invite();
    const agent = openAgentPipe(invitation);
    await agent.target('Staging', signal);
    const thief = openAgentPipe(invitation);
    await assert.rejects(thief.target('Staging', signal), isOfKind('unavailable'));
    agent.close();
  });

  it('closes both connections of a key that is used twice, since the first may be the thief', async () => {
    const invitation = await pipe.invite();
    const thief = openAgentPipe(invitation);
    await thief.target('Staging', signal);
    const owner = openAgentPipe(invitation);
    await assert.rejects(owner.target('Staging', signal), isOfKind('unavailable'));
    await assert.rejects(thief.target('Staging', signal), isOfKind('unavailable'));
  });

  it('refuses too many requests at once, and stays open', async () => {
    const agent = openAgentPipe(await pipe.invite());
    const ofMany = await Promise.allSettled(Array.from({ length: 30 }, () => agent.target('Staging', signal)));
    assert.ok(ofMany.some(({ status }) => status === 'rejected'));
    await agent.target('Staging', signal);
    agent.close();
  });

  it('closes connections without a key, and with requests that make no sense', async () => {
    assert.ok(await isClosedAfter('guessed\n{"id":1,"method":"target","params":["Staging"]}\n'));
    assert.ok(await isClosedAfter('x'.repeat(200_000)));
    const { address, key } = await pipe.invite();
    const socket = connect(address, () => socket.write(`${key}\nnull\n`));
    await new Promise((resolve) => socket.on('close', resolve));
  });

  it('rejects open requests when the window goes', async () => {
    const agent = openAgentPipe(await pipe.invite());
    bench.services.connections = { ...bench.services.connections, connectTo: () => new Promise(() => undefined) };
    const open = agent.target('Staging', signal);
    setTimeout(() => pipe.dispose(), 50);
    await assert.rejects(open, isOfKind('unavailable'));
  });
});
