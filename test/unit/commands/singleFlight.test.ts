import assert from 'node:assert/strict';
import { handlers } from '../../../src/commands/handlers.ts';
import { Bench, goodFile, staging } from './commandSetup.ts';

const uri = { uri: 'file:///w/nightly.job.yml' };

function count(bench: Bench, pattern: RegExp): number {
  return bench.trail.filter((line) => pattern.test(line)).length;
}

describe('a second click', () => {
  it('on Deploy makes no second job and no second message', async () => {
    const bench = new Bench();
    const deploy = (): Promise<unknown> => handlers['millrace.jobFile.deploy'](bench.services, uri);
    await Promise.all([deploy(), deploy(), deploy()]);
    assert.deepEqual([count(bench, /^create/), count(bench, /^mutation/), count(bench, /^info: Deployed/)], [1, 1, 1]);
    await deploy();
    assert.equal(count(bench, /^reset/), 1, 'the first is over, so that the next deploy is one of its own');
  });

  it('on Run now of a file starts no second run', async () => {
    const bench = new Bench();
    const run = (): Promise<unknown> => handlers['millrace.job.runNow'](bench.services, uri);
    await Promise.all([run(), run()]);
    assert.deepEqual([count(bench, /^create/), count(bench, /^run-now/)], [1, 1]);
    await run();
    assert.equal(count(bench, /^run-now/), 2);
  });

  it('on Run now of a job starts no second run', async () => {
    const bench = new Bench();
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    const run = (): Promise<unknown> => handlers['millrace.job.runNow'](bench.services, { jobId: '9007199254740993' });
    await Promise.all([run(), run()]);
    assert.equal(count(bench, /^run-now/), 1);
    await run();
    assert.equal(count(bench, /^run-now/), 2);
  });

  it('on Run now while the file is deployed runs the job of that deploy', async () => {
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
