import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findKeeper, settlesWithin, startTask, type TaskProcess } from '../../../../src/service/runners/taskProcess.ts';
import { keepFilesPrivate } from '../../../../src/service/runners/taskUmask.ts';
import { isAppError } from '../../../../src/shared/errors.ts';
import { until } from './workbench.ts';

const isLinux = process.platform === 'linux';

/** The process group, from Linux's own account of a process. */
function groupOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}

const openFiles = (): number => readdirSync('/proc/self/fd').length;

describe('the process of a task', function () {
  this.timeout(60_000);
  let folder: string;
  before(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-task-')))));
  after(() => rmSync(folder, { recursive: true }));

  const start = (
    keeper: string | undefined,
    command: string,
    parameters: string[] = [],
    environment: Record<string, string> = {},
  ): Promise<TaskProcess> =>
    startTask({ command, parameters, cwd: folder, environment: { PATH: '/usr/bin:/bin', ...environment } }, keeper);

  it('holds no pipe open of a keeper of which it can have only one', async function () {
    if (!isLinux) this.skip();
    const keeper = join(folder, 'keeper');
    writeFileSync(keeper, '#!/bin/sh\necho "pipes 1 99" >&3\nhead -c 1\necho started >&3\ncat >/dev/null\n', {
      mode: 0o755,
    });
    const task = await start(keeper, 'true');
    const before = openFiles();
    const other = await start(keeper, 'true');
    // Its own are four pipes; what another test left may be open for a moment.
    await until(() => openFiles() - before === 4);
    // The keeper is told that it is to pass on the output itself.
    for (const { output } of [task, other]) assert.equal(String((await once(output, 'data'))[0]), 'n');
    await Promise.all([task.release(), other.release()]);
  });

  for (const how of ['alone', 'below a keeper'] as const)
    describe(how, () => {
      let keeper: string | undefined;
      before(async function () {
        if (process.platform === 'win32') this.skip();
        if (how === 'alone') return;
        keeper = await findKeeper();
        if (keeper === undefined) this.skip();
      });

      it('has its folder, its output and how it ended', async () => {
        const task = await start(keeper, 'sh', ['-c', 'pwd; echo wrong >&2; exit 3']);
        const [out, error, end] = await Promise.all([text(task.output), text(task.errors), task.ended]);
        assert.deepEqual([out, error, end.exitCode, end.signalName], [`${folder}\n`, 'wrong\n', 3, undefined]);
        await task.release();
        const killed = await start(keeper, 'sh', ['-c', 'kill -TERM $$']);
        const { exitCode, signalName } = await killed.ended;
        assert.deepEqual([exitCode, signalName], [undefined, 'SIGTERM']);
        await killed.release();
      });

      it('has variables as they are given, those that change a keeper too, and none of the keeper', async () => {
        const given = { PERL5OPT: '-Mnone', LD_LIBRARY_PATH: '/none', PATH: '/usr/bin:/bin', OTHER: '1' };
        const task = await start(keeper, 'env', [], given);
        const variables = (await text(task.output))
          .trim()
          .split('\n')
          .filter((line) => !/^(?:_|PWD|SHLVL)=/.test(line));
        assert.deepEqual(
          variables.toSorted(),
          Object.entries(given)
            .map((each) => each.join('='))
            .toSorted(),
        );
        await task.release();
      });

      it('is of a group of its own, in which a signal for all reaches nobody else', async function () {
        if (!isLinux) this.skip();
        const task = await start(keeper, 'sh', ['-c', 'echo $$; read -r nothing < /dev/zero']);
        const [own] = await new Promise<string[]>((resolve) =>
          task.output.once('data', (data) => resolve(String(data).split('\n'))),
        );
        assert.equal(groupOf(Number(own)), Number(own));
        assert.equal(groupOf(task.pid), task.pid);
        process.kill(-Number(own), 'SIGKILL');
        assert.equal((await task.ended).signalName, 'SIGKILL');
        await task.release();
      });

      it('reads nothing, and is not kept waiting for it', async () => {
        const task = await start(keeper, 'sh', ['-c', 'cat; echo over']);
        assert.equal(await text(task.output), 'over\n');
        await task.release();
      });

      it('makes files as other programs of the user do, and not as the service, whose own are private', async () => {
        const before = process.umask(0o027);
        try {
          keepFilesPrivate();
          const task = await start(keeper, 'sh', ['-c', 'umask']);
          assert.match(await text(task.output), /^0?027\n$/);
          await task.release();
        } finally {
          // What the others start has what it had.
          process.umask(before);
          keepFilesPrivate();
          process.umask(before);
        }
      });

      it('that cannot be started says why, and leaves nothing open', async function () {
        if (!isLinux) this.skip();
        await assert.rejects(start(keeper, join(folder, 'none')), (error) => {
          assert.ok(isAppError(error));
          assert.deepEqual(
            [error.kind, error.message],
            ['unavailable', `${folder}/none could not be started: spawn ${folder}/none ENOENT`],
          );
          assert.equal(error.remedy, 'Check that it is installed and that it may be executed.');
          return true;
        });
        const before = openFiles();
        for (let count = 0; count < 5; count += 1)
          await assert.rejects(start(keeper, folder), /could not be started: spawn \S+ EACCES/);
        await until(() => openFiles() <= before + 1);
        for (const [parameter, message] of [
          ['a\0b', /parameters or environment variables hold a NUL character/],
          ['x'.repeat(3_000_000), /parameters or environment variables are longer than this system allows/],
        ] as const)
          await assert.rejects(
            start(keeper, 'echo', [parameter]),
            (error) =>
              isAppError(error) &&
              error.kind === 'invalid' &&
              error.remedy === 'Pass such values through a file.' &&
              error.cause instanceof Error &&
              message.test(error.message),
          );
      });
    });

  it('whose keeper was killed ended in a way that nobody knows', async function () {
    const keeper = await findKeeper();
    if (keeper === undefined) this.skip();
    const task = await start(keeper, 'sleep', ['600']);
    process.kill(task.pid, 'SIGKILL');
    assert.equal((await task.ended).isKeeperLost, true);
  });

  for (const [said, words] of [
    ['', 'the process that watches over it ended'],
    ['echo "pipes 1 2" >&3; head -c 1', 'the process that watches over it ended'],
    ['echo "failed 13" >&3', 'spawn sh EACCES'],
  ] as const)
    it(`that does not begin below its keeper is not waited for: ${said || 'nothing was said'}`, async function () {
      if (!isLinux) this.skip();
      this.timeout(30_000);
      const keeper = join(folder, 'short-keeper');
      writeFileSync(keeper, `#!/bin/sh\n${said}\n`, { mode: 0o755 });
      await assert.rejects(
        start(keeper, 'sh'),
        (error) =>
          isAppError(error) && error.kind === 'unavailable' && error.message === `sh could not be started: ${words}`,
      );
    });

  it('that has no keeper to be below says so', async function () {
    if (!isLinux) this.skip();
    await assert.rejects(start(join(folder, 'no-keeper'), 'sh'), (error) => {
      assert.ok(isAppError(error));
      assert.deepEqual(
        [error.kind, error.message, error.cause instanceof Error],
        ['unavailable', `sh could not be started: spawn ${folder}/no-keeper ENOENT`, true],
      );
      return true;
    });
  });

  it('gives its output to who started it, without the keeper between', async function () {
    const keeper = await findKeeper();
    if (keeper === undefined) this.skip();
    const task = await start(keeper, 'sh', ['-c', 'kill -STOP $PPID; echo out; echo wrong >&2']);
    const [out, error] = await Promise.all([text(task.output), text(task.errors)]);
    assert.deepEqual([out, error], ['out\n', 'wrong\n']);
    await task.release();
  });

  it('changes its own loader by its variables, and not that of its keeper', async function () {
    const keeper = await findKeeper();
    if (keeper === undefined) this.skip();
    const logs = mkdtempSync(join(folder, 'loader-'));
    const task = await start(keeper, 'true', [], { LD_DEBUG: 'files', LD_DEBUG_OUTPUT: join(logs, 'of') });
    await task.ended;
    await task.release();
    assert.ok(!readdirSync(logs).includes(`of.${task.pid}`), readdirSync(logs).join());
  });

  it('is ended with all below it where its keeper is released', async function () {
    const keeper = await findKeeper();
    if (keeper === undefined) this.skip();
    const task = await start(keeper, 'sh', ['-c', 'setsid sleep 600 & echo $!; wait']);
    const child = await new Promise<number>((resolve) => task.output.once('data', (data) => resolve(Number(data))));
    await task.release();
    assert.throws(() => process.kill(child, 0), { code: 'ESRCH' });
  });

  it('is waited for no longer than it should be', async () => {
    assert.equal(await settlesWithin(Promise.resolve(), 60_000), true);
    assert.equal(await settlesWithin(new Promise(() => undefined), 1), false);
    await assert.rejects(settlesWithin(Promise.reject(new Error('no')), 60_000), /no/);
  });
});
