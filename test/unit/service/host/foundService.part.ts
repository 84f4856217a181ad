import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalService } from '../../../../src/service/host/localService.ts';
import { serviceFilePath } from '../../../../src/service/startup/serviceFile.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { silentLogger } from '../../../../src/shared/log.ts';

describe('a service that another window has started', () => {
  let folder: string;
  let health: object | string;
  let calls: string[];
  let server: Server;
  let launcher: LocalService;
  before(async () => {
    server = createServer((request, response) => {
      calls.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.end(typeof health === 'string' ? health : JSON.stringify(health));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-found-'));
    calls = [];
    launcher = new LocalService({
      // What is found needs no program.
      executable: join(folder, 'no-node'),
      script: '/ours.js',
      root: folder,
      dataFolder: folder,
      log: silentLogger,
      configuration: () => ({}),
      isTrusted: () => true,
    });
  });
  afterEach(() => {
    launcher.dispose();
    rmSync(folder, { recursive: true });
  });
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tell = (file: object = {}): void => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(serviceFilePath(folder), JSON.stringify({ url: url(), token: 't', pid: process.pid, ...file }));
  };
  const ours = { service: 'millrace', script: '/ours.js', windows: 0, active_runs: 0 };

  for (const [what, told] of [
    ['of the same version', ours],
    ['of the same version, with runs and windows', { ...ours, windows: 2, active_runs: 3 }],
    ['of an earlier version, with a run that would end with it', { ...ours, script: '/old.js', active_runs: 1 }],
    ['of an earlier version, with a window that uses it', { ...ours, script: '/old.js', windows: 1 }],
  ] as const)
    it(`${what} is used as it is`, async () => {
      health = told;
      tell();
      const changes: (string | undefined)[] = [];
      launcher.onDidChange(() => changes.push(launcher.url));
      assert.deepEqual(await launcher.start(), { url: url(), token: 't' });
      assert.deepEqual(calls, ['GET /api/millrace/health Bearer t', 'POST /api/millrace/attach Bearer t']);
      assert.deepEqual([launcher.isUsed(), changes], [true, [url()]]);
      assert.deepEqual(await launcher.start(), { url: url(), token: 't' });
      assert.equal(calls.length, 2, 'it is not looked for again');
    });

  for (const [what, told, file] of [
    ['that is no service of this kind', { ...ours, service: 'other' }, {}],
    ['that answers something else', 'hello', {}],
    ['whose process is gone', ours, { pid: 4_194_304 }],
    ['of another machine', ours, { url: 'http://localhost.example:1' }],
    ['by another name of this machine', ours, { host: 'localhost' }],
    ['at no address', ours, { url: 'nonsense' }],
  ] as const)
    it(`${what} is none`, async () => {
      health = told;
      tell('host' in file ? { url: url().replace('127.0.0.1', file.host) } : file);
      await assert.rejects(launcher.start(), (error) => {
        assert.ok(error instanceof AppError);
        assert.equal(error.kind, 'unavailable');
        assert.equal((error.cause as NodeJS.ErrnoException).code, 'ENOENT');
        assert.match(error.message, /^The local service could not be started: spawn .*no-node ENOENT\.$/);
        assert.equal(error.remedy, `Its log ${join(folder, 'service.log')} says more; then try again.`);
        return true;
      });
      assert.deepEqual(await launcher.goingRuns(), { count: 0, names: [] });
      // Nobody is told the token whose file is not to be believed.
      assert.deepEqual(new Set(calls), new Set(told === ours ? [] : ['GET /api/millrace/health Bearer t']));
    });
});
