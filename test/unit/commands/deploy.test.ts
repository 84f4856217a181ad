import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { handlers } from '../../../src/commands/handlers.ts';
import type { AppError } from '../../../src/shared/errors.ts';
import { holdTrail } from '../../support/trail.ts';
import { holdApproved } from './approvedCommands.ts';
import './deployChanged.part.ts';
import './deployProduction.part.ts';
import { Bench, goodFile } from './commandSetup.ts';

const uri = { uri: 'file:///w/nightly.job.yml' };

describe('deploy', () => {
  holdTrail(import.meta.url);
  holdApproved('deploy');

  it('creates the job, names it before, and remembers it for the next deploy', async () => {
    const bench = new Bench();
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.deepEqual(bench.trail, [
      'mutation: Create job "nightly"',
      'create 9007199254740993',
      'refresh',
      'info: Deployed "nightly" to Local as job 9007199254740993.',
    ]);
    bench.trail = [];
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.deepEqual(bench.trail.slice(0, 2), [
      'mutation: Replace the settings of job "nightly" (9007199254740993)',
      'reset 9007199254740993',
    ]);
  });

  it('waits no longer than a while for what the service has made of it', async () => {
    const bench = new Bench();
    const connection = await bench.services.connections.connect();
    const { get } = connection.client.jobs;
    const signals: (AbortSignal | undefined)[] = [];
    Object.assign(connection.client.jobs, {
      get: (id: string, options?: { signal?: AbortSignal }) => (signals.push(options?.signal), get(id)),
    });
    bench.services.connections.connect = async () => connection;
    const timeout = mock.method(AbortSignal, 'timeout');
    try {
      await handlers['millrace.jobFile.deploy'](bench.services, uri);
      assert.deepEqual(
        timeout.mock.calls.map(({ arguments: [limit], result }) => [limit, result]),
        [[5000, signals.at(-1)]],
      );
    } finally {
      timeout.mock.restore();
    }
  });

  it('keeps no other file waiting', async () => {
    const bench = new Bench();
    const other = 'file:///w/other.job.yml';
    bench.texts.set(other, goodFile.replace('nightly', 'other'));
    const answer = Promise.withResolvers<boolean>();
    const { confirmMutation } = bench.services.connections;
    bench.services.connections.confirmMutation = async (what, ...rest) =>
      what.includes('nightly') ? answer.promise : confirmMutation(what, ...rest);
    const first = handlers['millrace.jobFile.deploy'](bench.services, uri);
    await handlers['millrace.jobFile.deploy'](bench.services, { uri: other });
    assert.deepEqual(
      [...bench.remote.values()].map(({ name }) => name),
      ['other'],
    );
    answer.resolve(false);
    await first;
    assert.equal(bench.remote.size, 1);
  });

  it('sends nothing of a file with problems and shows the first', async () => {
    const bench = new Bench();
    bench.texts.set(
      uri.uri,
      'name: x\nmax_concurrent_runs: 5000\nspark_python_task: {python_file: /a.py}\nexisting_cluster_id: local\n',
    );
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.equal(bench.remote.size, 0);
    assert.match(bench.trail[0] ?? '', /^warn: nightly\.job\.yml has a problem and was not sent: .*1000/);
    assert.equal(bench.trail[1], 'problem at 29');
  });

  it('creates anew when the job it knew was deleted, and says so', async () => {
    const bench = new Bench();
    bench.remembered.set(`local ${uri.uri}`, '404');
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.ok(bench.trail.includes('create 9007199254740993'));
    assert.equal(
      bench.trail.at(-1),
      'info: Deployed "nightly" to Local as job 9007199254740993. Job 404, which the file was deployed to before, no longer exists there.',
    );
    assert.equal(bench.remembered.get(`local ${uri.uri}`), '9007199254740993');
  });

  it('asks before it replaces a job whose id it remembers under another name', async () => {
    const bench = new Bench();
    bench.remembered.set(`local ${uri.uri}`, '1');
    bench.remote.set('1', { name: 'of somebody else' });
    bench.decisions = ['Create Another Job'];
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.equal(bench.trail[0], 'decide: Job 1 of Local is named "of somebody else", the file "nightly".');
    assert.deepEqual(bench.remote.get('1'), { name: 'of somebody else' });
    assert.equal(bench.remembered.get(`local ${uri.uri}`), '9007199254740993');
  });

  it('takes the job file in front of the user, also one that was never saved', async () => {
    const bench = new Bench();
    await handlers['millrace.jobFile.deploy'](bench.services, {});
    assert.ok(bench.trail.includes('create 9007199254740993'), bench.trail.join('\n'));
  });

  it('sends nothing when the choice of a file is given up', async () => {
    const bench = new Bench();
    bench.services.ui.pick = async () => undefined;
    bench.activeIsJobFile = false;
    await handlers['millrace.jobFile.deploy'](bench.services, {});
    assert.deepEqual(bench.trail, []);
  });

  it('fails plainly where the file names a job that does not exist, digit for digit', async () => {
    const bench = new Bench();
    bench.texts.set(uri.uri, `job_id: 9007199254740997\n${goodFile}`);
    await assert.rejects(handlers['millrace.jobFile.deploy'](bench.services, uri), (error: AppError) => {
      assert.equal(
        error.message,
        'nightly.job.yml was not deployed: its line job_id names job 9007199254740997, which does not exist on Local.',
      );
      assert.match(error.remedy ?? '', /^Remove the line job_id and deploy the file to create a new job/);
      return true;
    });
    assert.equal(bench.remote.size, 0);
  });

  it('does nothing when the user declines', async () => {
    const bench = new Bench();
    bench.mutationDeclined = true;
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    assert.equal(bench.remote.size, 0);
  });
});

describe('compare', () => {
  holdTrail(import.meta.url, '-2');
  it('says so where file and job say the same in other words', async () => {
    const bench = new Bench();
    bench.remembered.set(`local ${uri.uri}`, '5');
    bench.remote.set('5', {
      existing_cluster_id: 'local',
      name: 'nightly',
      spark_python_task: { parameters: ['--day', 'today'], python_file: '/main.py' },
    });
    await handlers['millrace.jobFile.compare'](bench.services, uri);
    assert.deepEqual(bench.trail, [
      'info: nightly.job.yml and job "nightly" (5) on Local say the same: a deploy would change nothing.',
    ]);
  });

  it('shows both and names what differs', async () => {
    const bench = new Bench();
    bench.remembered.set(`local ${uri.uri}`, '5');
    bench.remote.set('5', {
      existing_cluster_id: 'local',
      name: 'other',
      spark_python_task: { parameters: ['--day', 'today'], python_file: '/main.py' },
    });
    await handlers['millrace.jobFile.compare'](bench.services, uri);
    assert.match(bench.trail[0] ?? '', /^compare: name: other\n/);
    assert.equal(
      bench.trail[1],
      'info: A deploy of nightly.job.yml would change this of job "other" (5) on Local: name.',
    );
  });
});

describe('compare with a job that is gone', () => {
  holdTrail(import.meta.url, '-3');
  it('names the job, compares nothing and still knows the link', async () => {
    const bench = new Bench();
    bench.remembered.set(`local ${uri.uri}`, '404');
    const said = [
      'info: Job 404, which nightly.job.yml was deployed to, no longer exists on Local, so nothing was compared. Deploy the file to create a new job.',
    ];
    await handlers['millrace.jobFile.compare'](bench.services, uri);
    assert.deepEqual(bench.trail, said);
    await handlers['millrace.jobFile.compare'](bench.services, uri);
    assert.deepEqual(bench.trail, [...said, ...said]);
  });

  it('says of a file that was never deployed that it was not', async () => {
    const bench = new Bench();
    await handlers['millrace.jobFile.compare'](bench.services, uri);
    assert.match(bench.trail[0] ?? '', /^info: nightly\.job\.yml was not deployed to Local yet/);
  });
});

describe('what a service stores otherwise than it was sent', () => {
  it('is told with the deploy, and no more once it is known that the service always does so', async () => {
    const bench = new Bench();
    bench.texts.set(uri.uri, `${goodFile}max_retries: 3\n`);
    const { remote } = bench;
    remote.set = (id, settings) => Map.prototype.set.call(remote, id, { ...settings, max_retries: 1 }) as typeof remote;
    const said = async (): Promise<boolean> => {
      bench.trail = [];
      await handlers['millrace.jobFile.deploy'](bench.services, uri);
      return bench.trail.some((line) => /^info: .*The service stored different values: • max_retries/.test(line));
    };
    assert.equal(await said(), true);
    bench.texts.set(uri.uri, `${goodFile}max_retries: 3\ntimeout_seconds: 60\n`);
    assert.equal(await said(), false);
  });

  it('is told in one line, as messages are', async () => {
    const bench = new Bench();
    bench.texts.set(uri.uri, `${goodFile}max_retries: 3\ntimeout_seconds: 60\n`);
    const { remote } = bench;
    const other = { max_retries: 1, timeout_seconds: 90 };
    remote.set = (id, settings) => Map.prototype.set.call(remote, id, { ...settings, ...other }) as typeof remote;
    await handlers['millrace.jobFile.deploy'](bench.services, uri);
    const said = bench.trail.find((line) => line.startsWith('info: ')) ?? '';
    assert.match(said, /different values: • timeout_seconds: .* {2}• max_retries: /);
  });
});
