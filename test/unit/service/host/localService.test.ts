import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../../src/shared/log.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { LocalService, serviceEnvironment, type LocalServiceOptions } from '../../../../src/service/host/localService.ts';
import { callLoopback } from '../../../../src/service/host/loopback.ts';
import { serviceFilePath } from '../../../../src/service/serviceFile.ts';
import { serviceBundle } from '../support/serviceProcess.ts';
import { until } from '../support/testService.ts';

describe('local service launcher', () => {
  let folder: string;
  let script: string;
  const launchers: LocalService[] = [];

  before(async function () {
    this.timeout(30_000);
    script = await serviceBundle();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-launcher-'));
  });
  afterEach(async function () {
    this.timeout(30_000);
    for (const each of launchers.splice(0)) {
      await each.stop().catch(() => undefined);
      each.dispose();
    }
    rmSync(folder, { recursive: true, force: true });
  });

  function launcher(more: Partial<LocalServiceOptions> = {}): LocalService {
    const created = new LocalService({
      executable: process.execPath, script, root: folder, dataFolder: join(folder, 'data'), log: silentLogger,
      configuration: () => ({ discoverModels: false }), isTrusted: () => true, ...more,
    });
    launchers.push(created);
    return created;
  }

  const health = (service: { url: string; token: string }): Promise<unknown> => callLoopback(service, 'GET', '/api/millrace/health', undefined);

  it('starts a service once, whoever asks', async function () {
    this.timeout(30_000);
    const one = launcher();
    const [first, second] = await Promise.all([one.start(), one.start()]);
    assert.deepEqual(first, second);
    assert.deepEqual(await one.start(), first);
    assert.equal((await health(first) as { service: string }).service, 'millrace');
  });

  it('attaches to the service of another window, and both hear of its end', async function () {
    this.timeout(30_000);
    const [one, two] = [launcher(), launcher()];
    const [first, second] = await Promise.all([one.start(), two.start()]);
    assert.deepEqual(first, second);
    const gone: string[] = [];
    one.onDidExit(() => gone.push('one'));
    two.onDidExit(() => gone.push('two'));
    await two.stop();
    await until(async () => (gone.length === 2 ? true : undefined), () => `both; ${gone.join()}`, 12_000);
    const again = await one.start();
    assert.notEqual(again.token, first.token);
    assert.ok(await health(again));
  });

  it('tells when the service dies and starts another', async function () {
    this.timeout(30_000);
    const one = launcher();
    const first = await one.start();
    const gone = new Promise<string>((resolve) => one.onDidExit(resolve));
    process.kill((await health(first) as { pid: number }).pid, 'SIGKILL');
    assert.match(await gone, /SIGKILL/);
    assert.ok(await health(await one.start()));
  });

  it('keeps the token out of command line, environment, log and other users', async function () {
    this.timeout(30_000);
    const one = launcher({ environment: { ...process.env, VSCODE_PID: '1', ELECTRON_X: 'y', NODE_OPTIONS: '', KEPT: 'yes' } });
    const { token, url } = await one.start();
    const { pid } = await health({ url, token }) as { pid: number };
    for (const name of ['cmdline', 'environ']) {
      const text = readFileSync(`/proc/${pid}/${name}`, 'latin1');
      assert.ok(!text.includes(token));
      if (name === 'environ') assert.ok(text.includes('KEPT=yes') && !text.includes('VSCODE_PID'));
    }
    assert.ok(!readFileSync(one.logPath, 'utf8').includes(token));
    assert.equal(statSync(serviceFilePath(join(folder, 'data'))).mode & 0o077, 0);
    assert.equal(statSync(join(folder, 'data')).mode & 0o077, 0);
  });

  it('does not believe a file that names no living service of this kind', async function () {
    this.timeout(30_000);
    const one = launcher();
    await one.start();
    await one.stop();
    writeFileSync(serviceFilePath(join(folder, 'data')), JSON.stringify({ url: 'http://evil.example/', token: 'x', pid: process.pid }));
    assert.match((await one.start()).url, /^http:\/\/127\.0\.0\.1:/);
  });

  it('replaces what an earlier version left, unless somebody still uses it', async function () {
    this.timeout(40_000);
    const earlier = join(folder, 'earlier.cjs');
    copyFileSync(script, earlier);
    const [old, one] = [launcher({ script: earlier }), launcher()];
    const first = await old.start();
    assert.deepEqual(await one.start(), first);
    one.dispose();
    await callLoopback(first, 'POST', '/api/millrace/leave', { pid: process.pid });
    assert.notDeepEqual(await launcher().start(), first);
  });

  it('starts nothing in Restricted Mode (P23)', async () => {
    const one = launcher({ isTrusted: () => false, executable: '/nonexistent' });
    await assert.rejects(one.start(), (error) => error instanceof AppError && error.kind === 'untrusted' && error.remedy !== undefined);
  });

  it('says why it could not start', async function () {
    this.timeout(30_000);
    await assert.rejects(launcher({ executable: '/nonexistent/node' }).start(), (error) => error instanceof AppError && error.kind === 'unavailable' && /ENOENT/.test(error.message));
    const broken = launcher({ dataFolder: join(folder, 'broken') });
    rmSync(join(folder, 'broken'), { recursive: true, force: true });
    const good = launcher({ dataFolder: join(folder, 'broken') });
    await good.start();
    await good.stop();
    writeFileSync(join(folder, 'broken', 'millrace.db'), 'this is no database, '.repeat(1000));
    await assert.rejects(broken.start(), (error) => error instanceof AppError && /cannot be opened/.test(error.message));
  });

  it('gives up waiting when the caller does, and the service still starts', async function () {
    this.timeout(30_000);
    const one = launcher();
    const controller = new AbortController();
    const waiting = one.start({ signal: controller.signal });
    controller.abort();
    await assert.rejects(waiting, (error) => error instanceof AppError && error.kind === 'aborted');
    assert.ok(await health(await one.start()));
  });

  it('lets the service leave when the last window has left', async function () {
    this.timeout(40_000);
    const one = launcher();
    const first = await one.start();
    const { pid } = await health(first) as { pid: number };
    one.dispose();
    await until(async () => {
      try {
        process.kill(pid, 0);
        return undefined;
      } catch {
        return true;
      }
    }, () => 'the service to leave', 25_000);
  });

  it('leaves out what belongs to the editor', () => {
    assert.deepEqual(serviceEnvironment({ VSCODE_IPC_HOOK: 'a', ELECTRON_RUN_AS_NODE: '0', NODE_OPTIONS: 'b', PATH: 'c' }), { PATH: 'c', ELECTRON_RUN_AS_NODE: '1' });
  });
});
