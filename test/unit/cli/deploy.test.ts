import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startJobsServer, type JobsServer } from '../../support/jobsServer.ts';
import { runProgram, startProgram } from './program.ts';

const token = 'a-token-of-the-tests';
const file =
  'name: nightly\nexisting_cluster_id: c\nspark_python_task: {python_file: "dfs:/main.py", parameters: [a]}\n';

describe('millrace deploy', function () {
  this.timeout(120_000);
  let folder: string;
  let server: JobsServer;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-deploy-'));
    writeFileSync(join(folder, 'a.job.yml'), file);
    server = await startJobsServer(token);
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const run = (command: string, ...more: string[]) =>
    runProgram(folder, [command, 'a.job.yml', '--url', server.url, ...more], { MILLRACE_TOKEN: token });

  it('plans, creates, finds nothing more to do, and updates', async () => {
    const create = { file: 'a.job.yml', action: 'create', changes: [], moved: [] };
    assert.deepEqual(await run('deploy', '--plan', '--json'), { code: 3, out: `${JSON.stringify(create)}\n`, err: '' });
    assert.deepEqual(server.mutations, []);
    const done = await run('deploy');
    assert.deepEqual([done.code, done.out], [0, `Deployed "nightly" to ${server.url} as job 7.\n`]);
    const none = { file: 'a.job.yml', action: 'none', changes: [], moved: [] };
    assert.deepEqual(await run('deploy', '--plan', '--json'), { code: 0, out: `${JSON.stringify(none)}\n`, err: '' });
    writeFileSync(join(folder, 'a.job.yml'), `${file.replace('[a]', '[a, b]')}max_retries: 2\n`);
    const plan = await run('deploy', '--plan');
    assert.match(
      plan.out,
      /would change job "nightly" \(7\).*\n• spark_python_task\.parameters\[1\]: "b" is added\n• max_retries: 2 is added\n$/,
    );
    assert.equal(plan.code, 3);
    assert.equal((await run('deploy', '--json')).out.includes('"job_id":7'), true);
    assert.deepEqual(server.mutations, ['create', 'reset 7']);
    // Once more nothing is written.
    assert.match((await run('deploy')).out, /has the settings of "nightly" already/);
    assert.equal(server.mutations.length, 2);
  });

  it('undoes what somebody else changed only where it is told to', async () => {
    await run('deploy');
    server.jobs.set(7, {
      ...server.jobs.get(7),
      timeout_seconds: 99,
      email_notifications: { on_failure: ['o@x.org'] },
    });
    const plan = await run('deploy', '--plan', '--json');
    assert.deepEqual(
      [plan.code, JSON.parse(plan.out)],
      [
        3,
        {
          file: 'a.job.yml',
          action: 'update',
          changes: [
            { path: 'timeout_seconds', kind: 'reset' },
            { path: 'email_notifications', kind: 'remove' },
          ],
          moved: [{ path: 'timeout_seconds' }, { path: 'email_notifications' }],
        },
      ],
    );
    assert.match(
      (await run('deploy', '--plan')).out,
      /would change job [^]*\nSince the last deploy from here somebody else changed:\n• timeout_seconds: 0 became 99\n/,
    );
    const refused = await run('deploy');
    assert.match(refused.err, /somebody else changed:\n• timeout_seconds: 0 became 99\n/);
    assert.match(refused.err, /was not deployed: somebody else changed the job .*deploy with --yes/);
    assert.deepEqual([refused.code, server.mutations], [1, ['create']]);
    assert.equal((await run('deploy', '--yes')).code, 0);
    assert.deepEqual([server.mutations.at(-1), server.jobs.get(7)?.['timeout_seconds']], ['reset 7', undefined]);
    assert.equal((await run('deploy', '--plan')).code, 0);
  });

  it('takes what the service made of the settings for no change of others, tells it once, and sees theirs', async () => {
    server.jobs.set(7, { name: 'nightly', max_retries: 90, timeout_seconds: 5 });
    server.habit = (settings) => ({ ...settings, max_retries: 10, name: 'Nightly (managed)' });
    const named = `job_id: 7\nsettings:\n${file.replace(/^/gm, '  ').trimEnd()}\n  max_retries: 90\n`;
    writeFileSync(join(folder, 'a.job.yml'), named);
    const done = await run('deploy', '--yes');
    assert.match(
      done.err,
      /The service stored different values:\n• name: "nightly" became "Nightly \(managed\)"\n• max_retries: 90 became 10\n/,
    );
    assert.deepEqual([(await run('deploy', '--plan')).code, done.code], [0, 0]);
    writeFileSync(join(folder, 'a.job.yml'), `${named}  timeout_seconds: 60\n`);
    assert.equal((await run('deploy')).err, '');
    server.jobs.set(7, { ...server.jobs.get(7), max_retries: 11 });
    const plan = JSON.parse((await run('deploy', '--plan', '--json')).out) as { moved: unknown };
    assert.deepEqual(plan.moved, [{ path: 'max_retries' }]);
    // Who takes the change into the file has deployed it.
    server.habit = undefined;
    writeFileSync(join(folder, 'a.job.yml'), `${named.replace('90', '11')}  timeout_seconds: 60\n`);
    await run('deploy', '--yes');
    server.jobs.set(7, { ...server.jobs.get(7), timeout_seconds: 70 });
    writeFileSync(join(folder, 'a.job.yml'), `${named.replace('90', '11')}  timeout_seconds: 70\n`);
    assert.equal((await run('deploy')).code, 0);
    const none = { file: 'a.job.yml', action: 'none', changes: [], moved: [] };
    assert.deepEqual(JSON.parse((await run('deploy', '--plan', '--json')).out), none);
  });

  it('waits for a service that is busy as long as it asks for, and says so', async () => {
    server.refusals.push([429, { 'retry-after': '1' }], [429, {}]);
    const { code, out, err } = await run('deploy', '--plan', '--json');
    assert.deepEqual([code, JSON.parse(out)], [3, { file: 'a.job.yml', action: 'create', changes: [], moved: [] }]);
    assert.match(
      err,
      /^jobs\/list: .*HTTP 429.* Trying again in [12] s; Ctrl\+C ends it\.\n.*Trying again in 2? ?[0-9]* s;.*\n$/,
    );
    assert.equal(server.requests.length, 3);
    // What changes something is sent again only if that comes to the same.
    server.refusals.push([200, {}], [429, {}]);
    assert.equal((await run('deploy')).code, 1);
    assert.deepEqual(server.mutations, []);
  });

  it('ends a wait at Ctrl+C, and asks a service that is not there for no long time', async function () {
    server.refusals.push([503, {}]);
    const started = await startProgram(folder, ['runs', '--url', server.url], { MILLRACE_TOKEN: token });
    await new Promise((resolve) => started.child.stderr?.once('data', resolve));
    if (process.platform !== 'win32') started.child.kill('SIGINT');
    else started.child.kill();
    const { code, err } = await started.ended;
    assert.match(err, /HTTP 503.* Trying again in 3[0-9] s;/);
    if (process.platform !== 'win32') assert.equal(code, 130);
    await server.close();
    assert.equal((await run('runs')).code, 1);
  });

  it('creates one job where the file is deployed several times at once, by two that wait for none that is gone', async () => {
    server.delayInMs = 300;
    const [one, other] = await Promise.all([run('deploy'), run('deploy')]);
    assert.deepEqual([one.code, other.code, server.mutations], [0, 0, ['create']]);
    assert.match(one.err + other.err, /^Another program deploys a\.job\.yml; waiting for it\.\n$/);
    const [kept = ''] = readdirSync(join(folder, 'state'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.json'),
    );
    const left = join(folder, 'state', kept.replace(/json$/, 'lock'));
    // Of a process that was killed.
    writeFileSync(left, '999999999');
    assert.equal((await run('deploy')).code, 0);
    assert.equal(existsSync(left), false);
  });

  it('sends a secret that the file has anew, and shows none', async () => {
    const secret = (value: string) =>
      `${file.replace('existing_cluster_id: c', 'new_cluster: {spark_version: a, node_type_id: b, num_workers: 1, spark_env_vars: {T: SECRET}}')}`.replace(
        'SECRET',
        value,
      );
    const hide = () => {
      const cluster = server.jobs.get(7)?.['new_cluster'] as object;
      server.jobs.set(7, { ...server.jobs.get(7), new_cluster: { ...cluster, spark_env_vars: { T: '********' } } });
    };
    writeFileSync(join(folder, 'a.job.yml'), secret('first-one'));
    await run('deploy');
    hide();
    assert.equal((await run('deploy', '--plan')).code, 0);
    writeFileSync(join(folder, 'a.job.yml'), secret('next-one'));
    const plan = await run('deploy', '--plan');
    assert.deepEqual([plan.code, /T: what the service hides becomes/.test(plan.out)], [3, true], plan.out);
    assert.doesNotMatch((await run('deploy')).out + plan.out, /first-one|next-one/);
    assert.match(JSON.stringify(server.jobs.get(7)), /next-one/);
    // On another machine nothing is known of it: it is sent all the same.
    hide();
    rmSync(join(folder, 'state'), { recursive: true });
    writeFileSync(join(folder, 'a.job.yml'), secret('third-one'));
    assert.match(
      (await run('deploy', '--plan')).out,
      /nothing of job .* that can be seen; what .* hides is sent again/,
    );
    assert.match((await run('deploy')).out, /has the new settings/);
    assert.match(JSON.stringify(server.jobs.get(7)), /third-one/);
  });

  it('creates, updates and plans in Node 20, which lacks what writes exact integers', async () => {
    const older = 'data:text/javascript,delete%20JSON.rawJSON;delete%20Promise.withResolvers';
    const line = ['deploy', 'a.job.yml', '--url', server.url, '--json'];
    const deploy = async (...more: string[]) =>
      (await startProgram(folder, [...line, ...more], { MILLRACE_TOKEN: token }, ['--import', older])).ended;
    assert.equal((await deploy()).code, 0);
    writeFileSync(join(folder, 'a.job.yml'), `${file}max_retries: 2\n`);
    assert.equal((await deploy('--plan')).code, 3);
    const updated = await deploy();
    assert.deepEqual([updated.code, updated.err], [0, '']);
    assert.match(updated.out, /"job_id":7,/);
    assert.deepEqual(server.mutations, ['create', 'reset 7']);
  });

  it('goes to the only job of its name, and to none of several', async () => {
    server.jobs.set(7, { name: 'nightly', max_retries: 1 });
    const refused = await run('deploy');
    assert.match(refused.err, /no deploy from here made them/);
    assert.equal((await run('deploy', '--yes')).code, 0);
    rmSync(join(folder, 'state'), { recursive: true });
    server.jobs.set(8, { name: 'nightly' });
    const several = await run('deploy', '--yes');
    assert.match(several.err, /has 2 jobs named "nightly" \(7, 8\).* as job_id/);
    writeFileSync(join(folder, 'a.job.yml'), `job_id: 8\n${file}`);
    assert.equal((await run('deploy', '--yes')).code, 0);
    writeFileSync(join(folder, 'a.job.yml'), `job_id: 80\n${file}`);
    assert.match((await run('deploy', '--yes')).err, /names job 80, which does not exist/);
    assert.deepEqual(server.mutations, ['reset 7', 'reset 8']);
  });

  it('sends nothing of a file whose letters would be lost', async () => {
    writeFileSync(join(folder, 'a.job.yml'), Buffer.from(file.replace('nightly', 'n\u00e4chtlich'), 'latin1'));
    const { code, err } = await run('deploy', '--yes');
    assert.match(err, /a\.job\.yml could not be read: it is not UTF-8/);
    assert.deepEqual([code, server.mutations], [1, []]);
  });

  it('sends nothing of a file with an error, and nothing without the token', async () => {
    const anonymous = await runProgram(folder, ['deploy', 'a.job.yml', '--url', server.url]);
    assert.deepEqual([anonymous.code, /401/.test(anonymous.err)], [1, true]);
    assert.ok(!anonymous.err.includes(token));
    writeFileSync(join(folder, 'a.job.yml'), 'name: x\n');
    const before = server.requests.length;
    const { code, err } = await run('deploy', '--yes');
    assert.match(err, /^a\.job\.yml:1:1: error: .*\n[\s\S]*has an error; nothing was sent/);
    assert.deepEqual([code, server.requests.length], [1, before]);
    await server.close();
    writeFileSync(join(folder, 'a.job.yml'), file);
    assert.equal((await run('deploy')).code, 1);
  });

  it('keeps what it remembers for its owner alone, without the token', async function () {
    if (process.platform === 'win32') this.skip();
    await run('deploy');
    const state = join(folder, 'state');
    const kept = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    assert.equal(kept.length, 1);
    for (const entry of kept) assert.equal(statSync(join(entry.parentPath, entry.name)).mode & 0o077, 0);
  });

  it('runs on a service that tells its output only as a whole, and tells the result', async () => {
    const started = await run('run', '--no-wait');
    assert.deepEqual([started.code, /Started run 5 of job 7/.test(started.out)], [0, true]);
    const waited = await run('run', '--param=--day', '--param', 'x=y');
    assert.deepEqual([waited.code, waited.out], [1, 'written there\n']);
    assert.match(waited.err, /Run 5: Failed\. It broke\.\n$/);
    assert.equal(server.mutations.at(-1), 'run ["--day","x=y"]');
    const env = { MILLRACE_TOKEN: token };
    const runs = await runProgram(folder, ['runs', '--url', server.url], env);
    assert.deepEqual([runs.code, runs.out], [0, '5\tRunning\t2023-11-14T22:13:20.000Z\tremote\n']);
    const logs = await runProgram(folder, ['logs', '5', '--url', server.url, '--json'], env);
    const answer = JSON.parse(logs.out) as { logs: string; run_id: unknown; job_id: unknown };
    assert.deepEqual([answer.logs, answer.run_id, answer.job_id], ['written there\n', 5, 7]);
    const listed = await runProgram(folder, ['runs', '--url', server.url, '--json'], env);
    assert.match(listed.out, /"job_id":7,"run_id":5,/);
    assert.equal((await runProgram(folder, ['logs', '5', '--follow', '--url', server.url], env)).code, 1);
  });
});
