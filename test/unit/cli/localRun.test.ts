import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { needsPython } from '../service/runners/workbench.ts';
import { buildProgram } from '../service/support/builtService.ts';
import { until } from '../service/support/testService.ts';
import { runProgram, startProgram } from './program.ts';

const job = (file: string) =>
  `name: ${file}\nexisting_cluster_id: local\nspark_python_task: {python_file: /${file}.py}\n`;

describe('millrace run on this machine', function () {
  this.timeout(120_000);
  let folder: string;
  before(function () {
    needsPython(this);
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-run-')));
    mkdirSync(join(folder, 'project', 'jobs'), { recursive: true });
    mkdirSync(join(folder, '.git'));
    const write = (name: string, text: string): void => writeFileSync(join(folder, 'project', name), text);
    write('jobs/good.job.yml', job('good'));
    write('good.py', 'import os, sys\nprint("said", *sys.argv[1:], os.environ.get("MILLRACE_TOKEN"))\n');
    write('jobs/bad.job.yml', job('bad'));
    write('bad.py', 'raise SystemExit("broken")\n');
    write('jobs/slow.job.yml', job('slow'));
    write('jobs/chatty.job.yml', job('chatty'));
    write('chatty.py', 'import time\nwhile True:\n  print("more", flush=True)\n  time.sleep(0.05)\n');
    for (const [name, seconds] of [
      ['short', 1],
      ['longer', 4],
    ] as const) {
      write(`jobs/${name}.job.yml`, job(name));
      write(`${name}.py`, `import time\nprint("begun", flush=True)\ntime.sleep(${seconds})\nprint("ended")\n`);
    }
    write('jobs/flaky.job.yml', `${job('flaky')}max_retries: 2\n`);
    const attempt = 'import os\nnumber = len([name for name in os.listdir(".") if name.startswith("tried")])\n';
    const further = 'open(f"tried{number}", "w").close()\nprint("try", number, flush=True)\n';
    write('flaky.py', `import os, sys\nos.chdir(sys.argv[1])\n${attempt}${further}assert number >= int(sys.argv[2])\n`);
    write('slow.py', 'import time\nprint("begun", flush=True)\ntime.sleep(600)\n');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string): string => join('project', 'jobs', `${name}.job.yml`);
  const env = { MILLRACE_TOKEN: 'not-for-programs' };

  it('deploys files of several folders, each to a service that has its folder', async () => {
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other', 'own.py'), '');
    writeFileSync(join(folder, 'other', 'own.job.yml'), job('own'));
    const { code, out, err } = await runProgram(folder, ['deploy', file('good'), join('other', 'own.job.yml')], env);
    assert.deepEqual([code, out.match(/^Deployed "\w+"/gm)], [0, ['Deployed "good"', 'Deployed "own"']], err);
  });

  it('starts a service, prints what the run writes, ends with its result, and keeps the run', async () => {
    const good = await runProgram(folder, ['run', file('good'), '--param', 'a=b'], env);
    assert.deepEqual([good.code, good.out], [0, 'said a=b None\n'], good.err);
    assert.match(good.err, /^Run (\d+) of job \d+ on the local service:\nPython [\d.]+\nRun \1: Succeeded\.\n$/);
    const bad = await runProgram(folder, ['run', file('bad'), '--json'], env);
    assert.equal(bad.code, 1, bad.err);
    const run = JSON.parse(bad.out) as { run_id: string; state: { result_state: string } };
    assert.equal(run.state.result_state, 'FAILED');
    assert.match(bad.err, /broken/);
    const runs = await runProgram(folder, ['runs'], env);
    assert.deepEqual(
      runs.out.split('\n').map((line) => line.split('\t')[1]),
      ['Failed', 'Succeeded', undefined],
    );
    assert.equal((await runProgram(folder, ['runs', file('good'), '--json'])).out.includes('"Succeeded"'), false);
    assert.match((await runProgram(folder, ['logs', String(run.run_id)])).out, /broken/);
    assert.equal((await runProgram(folder, ['logs', '999999'])).code, 1);
    assert.equal((await runProgram(folder, ['deploy', file('good'), '--plan'])).code, 0);
  });

  it('follows a run that is tried again from attempt to attempt, and ends as the last one does', async () => {
    const run = async (least: number) => {
      const tries = mkdtempSync(join(folder, 'tries-'));
      const parameters = ['--param', tries, '--param', String(least)];
      return runProgram(folder, ['run', file('flaky'), ...parameters, '--data', join(folder, 'retries')], env);
    };
    const good = await run(1);
    assert.deepEqual([good.code, good.out.match(/^try \d$/gm)], [0, ['try 0', 'try 1']], good.err);
    assert.match(good.err, /: Failed\..* That was attempt 1 of 3; the next one follows\.\nRun \d+, attempt 2:\n/);
    assert.match(good.err, /: Succeeded\.\n$/);
    const bad = await run(9);
    assert.deepEqual([bad.code, bad.out.match(/^try \d$/gm)], [1, ['try 0', 'try 1', 'try 2']], bad.err);
    assert.equal(bad.err.match(/^Python [\d.]+$/gm)?.length, 1, bad.err);
    assert.match(bad.err, /That was attempt 2 of 3;[^]*: Failed\.[^\n]*\n$/);
  });

  it('ends with its service and its run at Ctrl+C', async function () {
    if (process.platform === 'win32') this.skip();
    const data = join(folder, 'data');
    const started = await startProgram(folder, ['run', file('slow'), '--data', data]);
    await once(started.child.stdout ?? assert.fail('no output'), 'data');
    started.child.kill('SIGINT');
    assert.equal((await started.ended).code, 130);
    assert.equal(existsSync(join(data, 'service.json')), false);
    const { out } = await runProgram(folder, ['runs', '--data', data]);
    assert.doesNotMatch(out, /Running/);
  });

  it('ends the run whose output nobody reads any more, and says that a report could not be written', async function () {
    if (process.platform === 'win32') this.skip();
    const data = join(folder, 'unread');
    const started = await startProgram(folder, ['run', file('chatty'), '--data', data]);
    await once(started.child.stdout ?? assert.fail('no output'), 'data');
    started.child.stdout?.destroy();
    started.ended.catch(() => undefined);
    const [code] = (await once(started.child, 'exit')) as [number | null];
    assert.deepEqual([code, existsSync(join(data, 'service.json'))], [141, false]);
    assert.doesNotMatch((await runProgram(folder, ['runs', '--data', data])).out, /Running|Succeeded/);
    if (!existsSync('/dev/full')) return;
    const full = openSync('/dev/full', 'w');
    const check = spawn(process.execPath, [await buildProgram(), 'check', file('good')], {
      cwd: folder,
      stdio: ['ignore', full, 'pipe'],
    });
    const [[status], said] = await Promise.all([once(check, 'exit'), text(check.stderr ?? assert.fail('no messages'))]);
    assert.deepEqual([status, said.startsWith('The output could not be written: ENOSPC')], [1, true], said);
  });

  it('follows a run on the service of another command, which waits for it', async () => {
    const data = ['--data', join(folder, 'shared')];
    const first = await startProgram(folder, ['run', file('short'), ...data]);
    await once(first.child.stdout ?? assert.fail('no output'), 'data');
    const second = await runProgram(folder, ['run', file('longer'), ...data]);
    assert.deepEqual([second.code, second.out], [0, 'begun\nended\n'], second.err);
    const { code, err } = await first.ended;
    assert.deepEqual(
      [code, /Succeeded\.\nWaiting for runs that other commands started here/.test(err)],
      [0, true],
      err,
    );
  });

  it('uses the service that runs on the data folder, and leaves it there', async () => {
    const data = join(folder, 'served');
    const place = ['--root', join(folder, 'project'), '--data', data];
    const serve = await startProgram(folder, ['serve', ...place]);
    try {
      await until(
        async () => existsSync(join(data, 'service.json')) || undefined,
        () => 'the service to be ready',
        60_000,
      );
      const started = await runProgram(folder, ['run', file('good'), '--no-wait', ...place]);
      assert.match(started.out, /^Started run \d+ of job \d+ on the local service\.\n$/, started.err);
      const waited = await runProgram(folder, ['run', file('bad'), ...place]);
      assert.equal(waited.code, 1);
      const left = await startProgram(folder, ['run', file('slow'), ...place]);
      await once(left.child.stdout ?? assert.fail('no output'), 'data');
      left.child.kill('SIGINT');
      if (process.platform !== 'win32')
        assert.match((await left.ended).err, /\nRun (\d+) goes on: millrace logs \1 --follow shows the rest\.\n$/);
      assert.equal(serve.child.exitCode, null);
    } finally {
      serve.child.kill('SIGTERM');
      await serve.ended;
    }
  });

  it('hands over to the Node that npm installed around it where its own has no database', async function () {
    if (process.platform === 'win32') this.skip();
    const flags = ['--no-experimental-sqlite'];
    const line = ['runs', '--data', join(folder, 'old'), '--json'];
    const around = await (await startProgram(folder, line, { PATH: folder }, flags)).ended;
    assert.deepEqual([around.code, JSON.parse(around.out)], [0, []], around.err);
    // A flag that the newer one inherits leaves no Node that could do it: said, and not tried again without end.
    const none = await runProgram(folder, line, { PATH: folder, NODE_OPTIONS: flags[0] });
    assert.deepEqual([none.code, none.out], [1, '']);
    assert.match(none.err, /needs Node 22\.13 or newer.*name a service with --url/);
    const usage = await runProgram(folder, ['run'], { PATH: folder, NODE_OPTIONS: flags[0] });
    assert.equal(usage.code, 2, usage.err);
  });
});
