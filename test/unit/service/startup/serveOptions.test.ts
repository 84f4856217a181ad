import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveHelp, parseServeOptions } from '../../../../src/service/startup/serveOptions.ts';
import { selfSigned } from '../support/selfSigned.ts';
import { serviceBundle, startServiceProcess } from '../support/serviceProcess.ts';

describe('millrace serve', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-serve-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('reads its parameters', () => {
    assert.deepEqual(
      parseServeOptions(
        ['serve', '--root', 'r', '--data', 'd', '--port', '0', '--idle-exit', '60', '--test-controls'],
        {
          MILLRACE_TOKEN: 'from-the-environment',
        },
      ),
      {
        root: 'r',
        data: 'd',
        port: 0,
        token: 'from-the-environment',
        options: undefined,
        tls: undefined,
        idleInSeconds: 60,
        logLevel: 'info',
        testControls: true,
      },
    );
    assert.equal(parseServeOptions(['serve', '--help'], {}), undefined);
    assert.equal(parseServeOptions(['help'], {}), undefined);
    for (const wrong of [
      [],
      ['run'],
      ['serve'],
      ['serve', '--root', 'r'],
      ['serve', '--root', 'r', '--data', 'd', '--port', 'x'],
      ['serve', '--root', 'r', '--data', 'd', '--token', 'short'],
      ['serve', '--root', 'r', '--data', 'd', '--unknown'],
      ['serve', '--root', 'r', '--data', 'd', '--port', '65536'],
      ['serve', '--root', 'r', '--data', 'd', '--tls-key', 'k'],
      ['serve', '--root', 'r', '--data', 'd', '--tls-cert', 'c'],
      ['serve', '--root', 'r', '--data', 'd', '--token', 'with a space'],
      ['serve', '--root', 'r', '--data', 'd', '--log-level', 'fatal'],
      ['serve', '--root', 'r', '--data', 'd', '--port', '1x'],
      ['serve', '--root', 'r', '--data', 'd', '--port', 'x1'],
      ['serve', '--root', 'r', '--data', 'd', '--idle-exit', '-1'],
      ['serve', '--root', 'r', '--data', 'd', 'more'],
      ['start', '--root', 'r', '--data', 'd'],
    ]) {
      assert.throws(() => parseServeOptions(wrong, {}), /Nothing was started/, wrong.join(' '));
    }
    assert.throws(() => parseServeOptions([], {}), { remedy: 'Run "millrace serve --help" to see what it takes.' });
    assert.throws(() => parseServeOptions(['serve', '--root', 'r', '--data', 'd'], { MILLRACE_TOKEN: 'short' }));
    const plain = parseServeOptions(['serve', '--root', 'r', '--data', 'd'], { MILLRACE_TOKEN: '' });
    assert.deepEqual(plain, {
      root: 'r',
      data: 'd',
      port: undefined,
      token: undefined,
      options: undefined,
      tls: undefined,
      idleInSeconds: undefined,
      logLevel: 'info',
      testControls: false,
    });
    const whole = [
      '--port',
      '65535',
      '--token',
      'given-token',
      '--tls-cert',
      'c',
      '--tls-key',
      'k',
      '--log-level',
      'debug',
    ];
    const given = parseServeOptions(['serve', '--root', 'r', '--data', 'd', ...whole], {
      MILLRACE_TOKEN: 'from-there',
    });
    assert.deepEqual(given, {
      ...plain,
      port: 65_535,
      token: 'given-token',
      tls: { cert: 'c', key: 'k' },
      logLevel: 'debug',
    });
    for (const name of [
      'root',
      'data',
      'port',
      'token',
      'options',
      'tls-cert',
      'tls-key',
      'idle-exit',
      'log-level',
      'test-controls',
    ])
      assert.ok(serveHelp.includes(`--${name} `), name);
  });

  it('prints help and says what is wrong', async function () {
    this.timeout(120_000);
    const script = await serviceBundle();
    const help = spawnSync(process.execPath, [script, 'serve', '--help'], { encoding: 'utf8' });
    assert.deepEqual([help.status, help.stdout], [0, serveHelp]);
    const wrong = spawnSync(process.execPath, [script, 'serve', '--root', 'x'], { encoding: 'utf8' });
    assert.deepEqual([wrong.status, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, /--root and --data are required/);
    const serve = (root: string, data: string) =>
      spawnSync(process.execPath, [script, 'serve', '--root', root, '--data', data], { encoding: 'utf8' });
    const noRoot = serve(join(folder, 'nowhere'), join(folder, 'data'));
    assert.deepEqual([noRoot.status, noRoot.stdout], [2, '']);
    assert.match(noRoot.stderr, /There is no folder .*nowhere; nothing was started\. .*--root/);
    writeFileSync(join(folder, 'file'), '');
    const fileAsData = serve(folder, join(folder, 'file'));
    assert.deepEqual([fileAsData.status, fileAsData.stdout], [1, '']);
    assert.match(fileAsData.stderr, /The data folder .*file cannot be made: .*--data/);
  });

  it('prints one line when it is ready, keeps its token secret and leaves no file that names it', async function () {
    this.timeout(120_000);
    const options = join(folder, 'options.json');
    writeFileSync(
      options,
      JSON.stringify({
        token: 'a-very-secret-token',
        configuration: { smtp: { host: 'x', password: 'another-secret' } },
      }),
    );
    const service = await startServiceProcess(folder, ['--options', options, '--log-level', 'trace'], {
      MILLRACE_TOKEN: '',
    });
    assert.equal(service.token, 'a-very-secret-token');
    const { status } = await fetch(`${service.url}/api/2.0/jobs/list`, {
      headers: { authorization: 'Bearer a-very-secret-token', connection: 'close' },
    });
    assert.equal(status, 200);
    await service.kill('SIGTERM');
    assert.equal(service.child.exitCode, 0);
    assert.doesNotMatch(service.errors(), /a-very-secret-token|another-secret/);
    assert.throws(() => readFileSync(join(folder, 'service.json')));
  });

  it('takes its token from the environment, where it does not stay, and ends on Ctrl+C', async function () {
    this.timeout(120_000);
    const names = join(folder, 'names.json');
    const look = join(folder, 'look.cjs');
    writeFileSync(
      look,
      "if (require('node:worker_threads').isMainThread) process.on('exit', () =>" +
        ` require('node:fs').writeFileSync(${JSON.stringify(names)}, JSON.stringify(Object.keys(process.env))));`,
    );
    const service = await startServiceProcess(folder, [], {
      MILLRACE_TOKEN: 'a-token-of-the-environment',
      NODE_OPTIONS: `--require=${look}`,
    });
    try {
      assert.equal(service.token, 'a-token-of-the-environment');
      await service.kill('SIGINT');
      assert.deepEqual([service.child.exitCode, service.child.signalCode], [0, null]);
    } finally {
      await service.kill();
    }
    const left = JSON.parse(readFileSync(names, 'utf8')) as string[];
    assert.deepEqual([left.includes('NODE_OPTIONS'), left.includes('MILLRACE_TOKEN')], [true, false]);
  });

  it('ends with 3 where another process serves the data folder', async function () {
    this.timeout(120_000);
    const service = await startServiceProcess(folder);
    try {
      await assert.rejects(startServiceProcess(folder), { exitCode: 3 });
    } finally {
      await service.kill();
    }
  });

  it('speaks HTTPS with a certificate that is given', async function () {
    this.timeout(120_000);
    const { cert, key } = selfSigned();
    const [certPath, keyPath] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(certPath, cert);
    writeFileSync(keyPath, key);
    const service = await startServiceProcess(folder, ['--tls-cert', certPath, '--tls-key', keyPath]);
    try {
      const status = await new Promise((resolve, reject) => {
        request(
          `${service.url}/api/2.0/jobs/list`,
          { ca: cert, agent: false, headers: { authorization: `Bearer ${service.token}` } },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        )
          .once('error', reject)
          .end();
      });
      assert.match(service.url, /^https:/);
      assert.equal(status, 200);
    } finally {
      await service.kill();
    }
  });
});
