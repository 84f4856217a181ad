import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JobsServer, startJobsServer } from '../../support/jobsServer.ts';
import { ownPlace, runCommand, runInPlace } from './ownPlace.ts';
import { runProgram, startProgram } from './program.ts';

const token = 'a-token-of-the-tests';

const file =
  'name: nightly\nexisting_cluster_id: c\nspark_python_task: {python_file: "dfs:/main.py", parameters: [a]}\n';

describe('deploying a job file', () => {
  const place = ownPlace();
  let folder: string;
  let server: JobsServer;
  beforeEach(() => {
    ({ folder, server } = place);
    writeFileSync(join(folder, 'a.job.yml'), file);
  });
  const run = (command: 'deploy', ...more: string[]) =>
    runInPlace(place, `${command}Command`, ['a.job.yml', '--url', server.url, ...more]);

  it('plans, creates, finds nothing to do, and updates', async () => {
    const next = (command: string): string => `millrace ${command} a.job.yml --url ${server.url}`;
    const create = { file: 'a.job.yml', action: 'create', changes: [], moved: [], next: next('deploy') };
    assert.deepEqual(await run('deploy', '--plan', '--json'), { code: 3, out: `${JSON.stringify(create)}\n`, err: '' });
    assert.deepEqual(server.mutations, []);
    const done = await run('deploy');
    assert.deepEqual([done.code, done.out], [0, `Deployed "nightly" to ${server.url} as job 7.\n`]);
    const none = { file: 'a.job.yml', action: 'none', changes: [], moved: [], next: next('run') };
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
    assert.match((await run('deploy')).out, /already has the settings of "nightly"/);
    assert.equal(server.mutations.length, 2);
  });

  it('overwrites a change of somebody else only when told to', async () => {
    await run('deploy');
    server.jobs.set(7, {
      ...server.jobs.get(7),
      timeout_seconds: 99,
      email_notifications: { on_failure: ['o@x.org'] },
    });
    const plan = await run('deploy', '--plan', '--json');
    const { next: _, ...planned } = JSON.parse(plan.out) as Record<string, unknown>;
    assert.deepEqual(
      [plan.code, planned],
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

  it('does not take additions by the service for changes, and reports them once', async () => {
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
    const { action, moved } = JSON.parse((await run('deploy', '--plan', '--json')).out) as Record<string, unknown>;
    assert.deepEqual([action, moved], ['none', []]);
  });

  it('waits for a busy service and reports it', async () => {
    server.refusals.push([429, { 'retry-after': '1' }], [429, {}]);
    const { code, out, err } = await run('deploy', '--plan', '--json');
    assert.deepEqual([code, (JSON.parse(out) as { action: string }).action], [3, 'create']);
    assert.match(
      err,
      /^jobs\/list: .*HTTP 429.* Trying again in [12] s; Ctrl\+C stops trying\.\n.*Trying again in 2? ?[0-9]* s;.*\n$/,
    );
    assert.equal(server.requests.length, 3);
    // What changes something is sent again only if that comes to the same.
    server.refusals.push([200, {}], [429, {}]);
    assert.equal((await run('deploy')).code, 1);
    assert.deepEqual(server.mutations, []);
  });

  it('sends a secret again and prints none', async () => {
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
    assert.deepEqual([plan.code, /T: a value that the service hides is replaced/.test(plan.out)], [3, true], plan.out);
    assert.doesNotMatch((await run('deploy')).out + plan.out, /first-one|next-one/);
    assert.match(JSON.stringify(server.jobs.get(7)), /next-one/);
    // On another machine nothing is known of it: it is sent all the same.
    hide();
    rmSync(join(folder, 'state'), { recursive: true });
    writeFileSync(join(folder, 'a.job.yml'), secret('third-one'));
    assert.match(
      (await run('deploy', '--plan')).out,
      /would not change job .*, but would send the values that the service hides again/,
    );
    assert.match((await run('deploy')).out, /has the new settings/);
    assert.match(JSON.stringify(server.jobs.get(7)), /third-one/);
  });

  it('takes the only job of the same name', async () => {
    server.jobs.set(7, { name: 'nightly', max_retries: 1 });
    const refused = await run('deploy');
    assert.match(refused.err, /not deployed from here/);
    assert.equal((await run('deploy', '--yes')).code, 0);
    rmSync(join(folder, 'state'), { recursive: true });
    server.jobs.set(8, { name: 'nightly' });
    const several = await run('deploy', '--yes');
    assert.match(several.err, /has 2 jobs named "nightly" \(7, 8\).*job_id/);
    writeFileSync(join(folder, 'a.job.yml'), `job_id: 8\n${file}`);
    assert.equal((await run('deploy', '--yes')).code, 0);
    writeFileSync(join(folder, 'a.job.yml'), `job_id: 80\n${file}`);
    assert.match((await run('deploy', '--yes')).err, /names job 80, which does not exist/);
    assert.deepEqual(server.mutations, ['reset 7', 'reset 8']);
  });

  it('sends nothing of a file with an error', async () => {
    writeFileSync(join(folder, 'a.job.yml'), 'name: x\n');
    const before = server.requests.length;
    const { code, err } = await run('deploy', '--yes');
    assert.match(err, /^a\.job\.yml:1:1: error: .*\n[\s\S]*has an error; nothing was sent/);
    assert.deepEqual([code, server.requests.length], [1, before]);
    await server.close();
    writeFileSync(join(folder, 'a.job.yml'), file);
    assert.equal((await run('deploy')).code, 1);
  });

  it('stores its records privately and without the token', async function () {
    if (process.platform === 'win32') this.skip();
    await run('deploy');
    const state = join(folder, 'state');
    const kept = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    assert.equal(kept.length, 1);
    for (const entry of kept) assert.equal(statSync(join(entry.parentPath, entry.name)).mode & 0o077, 0);
  });
});

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

  it('stops waiting at Ctrl+C', async function () {
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

  it('creates one job for several deploys at once', async () => {
    server.delayInMs = 300;
    const [one, other] = await Promise.all([run('deploy'), run('deploy')]);
    assert.deepEqual([one.code, other.code, server.mutations], [0, 0, ['create']]);
    assert.match(one.err + other.err, /^Another program is deploying a\.job\.yml; waiting for it\.\n$/);
    const [kept = ''] = readdirSync(join(folder, 'state'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.json'),
    );
    const left = join(folder, 'state', kept.replace(/json$/, 'lock'));
    // Of a process that was killed.
    writeFileSync(left, '999999999');
    assert.equal((await run('deploy')).code, 0);
    assert.equal(existsSync(left), false);
  });

  it('needs the token of the service', async () => {
    const anonymous = await runProgram(folder, ['deploy', 'a.job.yml', '--url', server.url]);
    assert.deepEqual([anonymous.code, /401/.test(anonymous.err)], [1, true]);
    assert.ok(!anonymous.err.includes(token));
  });
});

describe('deploying several files', () => {
  const place = ownPlace();
  const { written, said } = place;
  beforeEach(() => {
    mkdirSync(join(place.folder, 'jobs', 'below'), { recursive: true });
    write('jobs/a.job.yml');
    write('jobs/below/b.job.yml');
    writeFileSync(join(place.folder, 'jobs', 'c.yml'), 'no job');
  });
  const write = (path: string, more = ''): void =>
    writeFileSync(
      join(place.folder, path),
      `name: ${path}\nexisting_cluster_id: c\nspark_python_task: {python_file: "dfs:/main.py"}\n${more}`,
    );
  const deploy = (...words: string[]): Promise<number> => deployTo('--url', place.server.url, ...words);
  const deployTo = (...parameters: string[]): Promise<number> => {
    written.length = 0;
    return runCommand('deployCommand', parameters);
  };

  it('plans each as a line of JSON, and reports changes by its exit code', async () => {
    await deploy('jobs/below/b.job.yml');
    assert.equal(await deploy('jobs', '--plan', '--json'), 3);
    const lines = written.join('').trimEnd().split('\n');
    assert.deepEqual(
      lines
        .map((line) => JSON.parse(line) as { file: string; action: string })
        .map(({ file, action }) => [file, action]),
      [
        [join('jobs', 'a.job.yml'), 'create'],
        [join('jobs', 'below', 'b.job.yml'), 'none'],
      ],
    );
    assert.deepEqual(place.server.mutations, ['create']);
    assert.equal(await deploy('jobs/below/b.job.yml', '--plan'), 0);
    assert.match(written.join(''), /would not change/);
  });

  it('deploys none when one has an error, and stops at the first refusal', async () => {
    write('jobs/d.job.yml', 'max_retries: many\n');
    await assert.rejects(deploy('jobs'), /d\.job\.yml has an error; nothing was sent/);
    assert.match(said.join('\n'), /d\.job\.yml:4:14: error: /);
    await assert.rejects(
      deploy('jobs/a.job.yml', 'none.job.yml'),
      /none\.job\.yml could not be read: it does not exist/,
    );
    assert.deepEqual([place.server.mutations, written], [[], []]);
    write('jobs/d.job.yml');
    place.server.jobs.set(7, { name: 'jobs/below/b.job.yml', max_retries: 1 });
    await assert.rejects(
      deploy('jobs'),
      /b\.job\.yml was not deployed: the job has settings that were not deployed from here/,
    );
    assert.deepEqual(place.server.mutations, ['create']);
    await assert.rejects(deploy(), /deploy needs the files to deploy/);
    mkdirSync(join(place.folder, 'empty'));
    await assert.rejects(deploy('empty'), /There is no job file in empty; nothing was done/);
  });
});

describe('deploying a file again', () => {
  const place = ownPlace();
  const deploy = async (name: string, ...more: string[]): Promise<number> => {
    const file = join(place.folder, 'a.job.yml');
    writeFileSync(file, `name: ${name}\nexisting_cluster_id: c\nspark_python_task: {python_file: "dfs:/main.py"}\n`);
    return runCommand('deployCommand', [file, '--url', place.server.url, ...more]);
  };
  const settings = { name: 'nightly', existing_cluster_id: 'c', max_retries: 5 };

  it('updates its job despite a new name', async () => {
    await deploy('nightly');
    assert.equal(await deploy('weekly', '--yes'), 0);
    assert.deepEqual([place.server.mutations, place.server.jobs.size], [['create', 'reset 7'], 1]);
  });

  for (const [what, change] of [
    ['is gone', () => place.server.jobs.delete(7)],
    ['is another one now', () => Object.assign(place.server, { begunMs: 5 }).jobs.set(7, { name: 'other' })],
  ] as const)
    it(`goes to the job of its name where the one of its last deploy ${what}`, async () => {
      await deploy('nightly');
      place.server.jobs.set(8, settings);
      change();
      assert.equal(await deploy('nightly', '--yes'), 0);
      assert.deepEqual(place.server.mutations, ['create', 'reset 8']);
    });

  it('changes nothing when somebody else did at that moment', async () => {
    await deploy('nightly');
    let gets = 0;
    place.server.before = async (path) => {
      if (path === 'jobs/get' && (gets += 1) === 2) place.server.jobs.set(7, settings);
    };
    await assert.rejects(deploy('weekly', '--yes'), {
      kind: 'rejected',
      message: 'Somebody else has just changed job 7; nothing was deployed.',
    });
    assert.deepEqual(place.server.mutations, ['create']);
  });

  it('succeeds when the job cannot be read afterwards, and says when it cannot be recorded', async () => {
    place.server.before = async (path, response) => {
      if (path === 'jobs/get') response.writeHead(403).end('{}');
    };
    writeFileSync(join(place.folder, 'state'), 'a file in the way of the records');
    assert.equal(await deploy('nightly'), 0);
    assert.match(place.said.join(), /This deploy could not be recorded in .*state/);
    assert.deepEqual(place.server.mutations, ['create']);
  });
});
