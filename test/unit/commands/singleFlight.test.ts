import assert from 'node:assert/strict';
import { taskName } from '../../../src/commands/deploy.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { SingleFlight } from '../../../src/commands/singleFlight.ts';
import { holdTrail } from '../../support/trail.ts';
import { Bench, goodFile, staging } from './commandSetup.ts';

const uri = { uri: 'file:///w/nightly.job.yml' };

function count(bench: Bench, pattern: RegExp): number {
  return bench.trail.filter((line) => pattern.test(line)).length;
}

describe('a second click', () => {
  holdTrail(import.meta.url);
  it('on Deploy makes no second job and no second message', async () => {
    const bench = new Bench();
    const deploy = (): Promise<unknown> => handlers['millrace.jobFile.deploy'](bench.services, uri);
    await Promise.all([deploy(), deploy(), deploy()]);
    assert.deepEqual([count(bench, /^create/), count(bench, /^mutation/), count(bench, /^info: Deployed/)], [1, 1, 1]);
    await deploy();
    assert.equal(count(bench, /^reset/), 1, 'the first is over, so that the next deploy is one of its own');
  });

  it('on Run Now of a file starts no second run', async () => {
    const bench = new Bench();
    const run = (): Promise<unknown> => handlers['millrace.job.runNow'](bench.services, uri);
    await Promise.all([run(), run()]);
    assert.deepEqual([count(bench, /^create/), count(bench, /^run-now/)], [1, 1]);
    await run();
    assert.equal(count(bench, /^run-now/), 2);
  });

  it('on Run Now of a job starts no second run', async () => {
    const bench = new Bench();
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    const run = (): Promise<unknown> => handlers['millrace.job.runNow'](bench.services, { jobId: '9007199254740993' });
    await Promise.all([run(), run()]);
    assert.equal(count(bench, /^run-now/), 1);
    await run();
    assert.equal(count(bench, /^run-now/), 2);
  });

  it('on Run Now while the file is deployed runs the job of that deploy', async () => {
    const bench = new Bench();
    await Promise.all([
      handlers['millrace.jobFile.deploy'](bench.services, uri),
      handlers['millrace.job.runNow'](bench.services, uri),
    ]);
    assert.deepEqual(
      [count(bench, /^create/), count(bench, /^reset/), count(bench, /^run-now/), count(bench, /^info: Deployed/)],
      [1, 0, 1, 1],
    );
  });

  it('after an edit deploys the edited text when the first is through, to the same job', async () => {
    const bench = new Bench();
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    let answer: (() => void) | undefined;
    const { confirmMutation } = bench.services.connections;
    bench.services.connections.confirmMutation = async (what, connection) => {
      if (!answer) await new Promise<void>((resolve) => (answer = resolve));
      return confirmMutation(what, connection);
    };
    const first = handlers['millrace.jobFile.deploy'](bench.services, uri);
    await turn();
    bench.texts.set(uri.uri, `${goodFile}max_retries: 7\n`);
    const second = handlers['millrace.jobFile.deploy'](bench.services, uri);
    await turn();
    assert.equal(count(bench, /^create/), 0);
    answer?.();
    await Promise.all([first, second]);
    assert.equal(count(bench, /^create/), 1);
    assert.equal(bench.remote.get('9007199254740993')?.max_retries, 7);
  });

  it('on another profile is a deploy of its own', async () => {
    const bench = new Bench();
    bench.services.connections.confirmMutation = async () => true;
    bench.services.ui.decide = async (_message, _detail, actions) =>
      actions.find((action) => action === 'Create Another Job');
    const { connect } = bench.services.connections;
    bench.services.connections.connect = () => {
      const connection = connect();
      bench.profile = staging;
      return connection;
    };
    const deploy = (): Promise<unknown> => handlers['millrace.jobFile.deploy'](bench.services, uri);
    await Promise.all([deploy(), deploy()]);
    assert.deepEqual([...bench.remembered.keys()].sort(), [`local ${uri.uri}`, `staging ${uri.uri}`]);
  });

  it('tells a failure once, and the next click tries again', async () => {
    const bench = new Bench();
    const { refresh } = bench.services;
    bench.services.refresh = async () => {
      throw new Error('broken');
    };
    const deploy = (): Promise<unknown> => handlers['millrace.jobFile.deploy'](bench.services, uri);
    const ends = await Promise.allSettled([deploy(), deploy()]);
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    );
    bench.services.refresh = refresh;
    await deploy();
    assert.equal(count(bench, /^info: Deployed/), 1);
  });
});

describe('a task of which there is one at a time', () => {
  it('is over for all who asked for it when it is, and gives something to the first alone', async () => {
    const flight = new SingleFlight();
    const { promise, resolve } = Promise.withResolvers<string>();
    const given: unknown[] = [];
    const ask = (): Promise<unknown> => flight.once('a', () => promise).then((value) => given.push(value));
    const all = Promise.all([ask(), ask()]);
    await new Promise((done) => setImmediate(done));
    assert.deepEqual(given, []);
    resolve('made');
    await all;
    assert.deepEqual(new Set(given), new Set(['made', undefined]));
  });
});

describe('what is done with a file', () => {
  holdTrail(import.meta.url, '-3');
  it('is the same where command, profile, file and text are', async () => {
    const bench = new Bench();
    const { connections } = bench.services;
    const [local, other] = [await connections.connect(), await connections.connectTo('staging')];
    assert.ok(other);
    const file = { uri: uri.uri, name: 'n', text: goodFile, isJobFile: true };
    const named = (what = 'deploy', connection = local, change = {}): string =>
      taskName(what, connection, { file: { ...file, ...change }, settings: {} });
    assert.equal(named(), named('deploy', local, { name: 'of another view' }));
    const names = [
      named(),
      named('run'),
      named('deploy', other),
      named('deploy', local, { uri: 'file:///b' }),
      named('deploy', local, { text: '' }),
    ];
    assert.equal(new Set(names).size, names.length);
  });
});

describe('turns', () => {
  it('come one after the other, however those before ended, each name by itself', async () => {
    const flight = new SingleFlight();
    const begun: string[] = [];
    const ends = new Map<string, (error?: Error) => void>();
    const take = (of: string, name: string): Promise<string> =>
      flight.inTurn(of, () => {
        begun.push(name);
        return new Promise((resolve, reject) =>
          ends.set(name, (error) => (error ? reject(error) : resolve(`end of ${name}`))),
        );
      });
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const first = take('a', '1');
    const second = take('a', '2');
    const other = take('b', 'other');
    assert.deepEqual(begun, ['1', 'other']);
    ends.get('1')?.();
    await turn();
    assert.deepEqual(begun, ['1', 'other', '2']);
    // The end of the first has not let go of the turn that the second has.
    const third = take('a', '3');
    await turn();
    assert.deepEqual(begun, ['1', 'other', '2']);
    ends.get('2')?.(new Error('broken'));
    await assert.rejects(second, /broken/);
    await turn();
    assert.deepEqual(begun, ['1', 'other', '2', '3']);
    for (const end of ends.values()) end();
    assert.deepEqual(await Promise.all([first, third, other]), ['end of 1', 'end of 3', 'end of other']);
    await turn();
    void take('a', '4');
    assert.equal(begun.at(-1), '4', 'nothing is left to wait for');
  });
});

describe('a task that is joined', () => {
  it('is done once for all that join it, and told to all of them or once', async () => {
    const flight = new SingleFlight();
    let count = 0;
    const task = async (): Promise<number> => ++count;
    const fail = async (): Promise<number> => Promise.reject(new Error('broken'));
    assert.deepEqual(
      await Promise.all([flight.join('a', task), flight.join('a', task), flight.join('b', task)]),
      [1, 1, 2],
    );
    assert.deepEqual(await Promise.all([flight.once('a', task), flight.once('a', task)]), [3, undefined]);
    const joined = await Promise.allSettled([flight.join('a', fail), flight.join('a', task)]);
    assert.deepEqual(
      joined.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    const once = await Promise.allSettled([flight.once('a', fail), flight.once('a', task)]);
    assert.deepEqual(
      once.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    );
    assert.equal(await flight.once('a', task), 4);
  });
});
