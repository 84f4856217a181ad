import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseServeOptions } from '../../../../src/service/startup/serveOptions.ts';
import { selfSigned } from '../support/selfSigned.ts';
import { serviceBundle, type ServiceProcess, startServiceProcess } from '../support/serviceProcess.ts';

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
});

describe('the program of the service', function () {
  this.timeout(120_000);
  let folder: string;
  let service: ServiceProcess | undefined;
  before(() => serviceBundle());
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-main-'))));
  afterEach(async () => {
    await service?.kill();
    service = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (...more: string[]): Promise<ServiceProcess> =>
    (service = await startServiceProcess(folder, more));

  /** What it ends with where it does not start: its code, and what it wrote. */
  const refused = async (more: string[], input = ''): Promise<[number | null, string, string]> => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [await serviceBundle(), 'serve', ...more], {
      input,
      encoding: 'utf8',
    });
    return [status, stdout, stderr];
  };
  const places = (): string[] => ['--root', folder, '--data', folder];

  it('says how it is used where that is asked, and starts nothing', async () => {
    const [status, said] = await refused(['--help']);
    assert.equal(status, 0);
    assert.match(said, /^\s*Usage:[^]*--root DIR/i);
  });

  it('tells apart by its code what is wrong with its options, and a folder that another service has', async () => {
    for (const [more, input, words] of [
      [[...places(), '--port', 'x'], '', /port/],
      [['--root', join(folder, 'none'), '--data', folder], '', /^There is no folder .*none; nothing was started\./],
      [[...places(), '--options', '-'], '{"token": ', /^Standard input could not be read as options: /],
      [
        [...places(), '--options', '-'],
        '{"configuration": {"environment": "A"}}',
        /environment is not a list of names/,
      ],
      [
        [...places(), '--options', '-'],
        '{"configuration": {"environment": [5]}}',
        /environment is not a list of names/,
      ],
      [[...places(), '--options', join(folder, 'none.json')], '', /none\.json could not be read as options: /],
    ] as const) {
      const [status, said, error] = await refused([...more], input);
      assert.deepEqual([status, said], [2, ''], error);
      assert.match(error, words);
    }
    await start();
    assert.equal((await refused(places()))[0], 3);
  });

  it('speaks TLS with the certificate that it is given', async () => {
    const { cert, key } = selfSigned();
    const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
    const one = await start('--tls-cert', files.cert, '--tls-key', files.key);
    assert.match(one.url, /^https:/);
    const asked = request(`${one.url}/api/2.0/jobs/list`, {
      // The agent that all share may have certificates of its own, which go before those of a request.
      agent: new Agent({ ca: cert }),
      headers: { authorization: `Bearer ${one.token}`, connection: 'close' },
    }).end();
    const [answer] = await once(asked, 'response');
    assert.deepEqual([answer.statusCode, JSON.parse(await text(answer))], [200, { jobs: [] }]);
  });

  it('leaves when nobody has asked it anything for as long as it is told', async () => {
    const one = await start('--idle-exit', '1');
    if (one.child.exitCode === null) await once(one.child, 'exit');
    assert.equal(one.child.exitCode, 0);
    assert.match(one.errors(), / info It is not needed any more: ending\./);
  });

  it('ends well however it is told to', async function () {
    if (process.platform === 'win32') this.skip();
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      const one = await start();
      await one.kill(signal);
      assert.equal(one.child.exitCode, 0, signal);
      assert.match(one.errors(), new RegExp(` info ${signal}: ending\\.`));
    }
  });
});
