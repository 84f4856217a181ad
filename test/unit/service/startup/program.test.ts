import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findNewerNode, hasDatabase, oldestNode } from '../../../../src/service/startup/newerNode.ts';
import { eachWithTempFolder } from '../../../support/tempFolder.ts';
import { selfSigned } from '../support/selfSigned.ts';
import { serviceBundle, type ServiceProcess, startServiceProcess } from '../support/serviceProcess.ts';

describe('millrace serve', () => {
  let folder: string;
  eachWithTempFolder((one) => (folder = one));

  it('prints one line when ready and keeps its token secret', async function () {
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

  it('takes its token from the environment, removes it there, and ends on Ctrl+C', async function () {
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

describe('Service program', function () {
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

  it('prints its usage and starts nothing', async () => {
    const [status, said] = await refused(['--help']);
    assert.equal(status, 0);
    assert.match(said, /^\s*Usage:[^]*--root DIR/i);
  });

  it('exits with 2 for wrong options and with 3 for a folder in use', async () => {
    for (const [more, input, words] of [
      [[...places(), '--port', 'x'], '', /port/],
      [['--root', folder], '', /--root and --data/],
      [[...places(), '--token', 'short'], '', /token/],
      [[...places(), '--token', 'with a space'], '', /token/],
      [[...places(), '--tls-key', 'k'], '', /--tls/],
      [[...places(), '--idle-exit', '-1'], '', /idle-exit/],
      [[...places(), '--unknown'], '', /unknown/],
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

  it('serves HTTPS with the given certificate', async () => {
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

  it('leaves when it was idle for the given time', async () => {
    const one = await start('--idle-exit', '1');
    if (one.child.exitCode === null) await once(one.child, 'exit');
    assert.equal(one.child.exitCode, 0);
    assert.match(one.errors(), / info It is not needed any more: ending\./);
  });
});

describe('Node of the service', () => {
  let folder: string;
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  eachWithTempFolder((one) => (folder = one));

  /** A program that says this of itself. */
  function program(name: string, says: string, code = 0): string {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\necho '${says}'\nexit ${code}\n`);
    chmodSync(path, 0o755);
    return path;
  }
  const environment = (): NodeJS.ProcessEnv => ({ PATH: folder });

  it('is new enough from the first version with the database', async () => {
    assert.equal(oldestNode, '22.13');
    for (const [version, isNewEnough] of [
      ['22.13.0', true],
      ['22.20.1', true],
      ['23.0.0', true],
      ['24.1.0', true],
      ['22.12.9', false],
      ['21.99.0', false],
      ['20.20.2', false],
      ['', false],
    ] as const) {
      const path = program('node', version);
      assert.deepEqual(await findNewerNode(environment()), isNewEnough ? { path } : { tooOld: version }, version);
    }
  });

  it('is refused without the database, when it fails, or when it is another program', async () => {
    program('node', '24.0.0 without node:sqlite');
    assert.deepEqual(await findNewerNode(environment()), { tooOld: '24.0.0 without node:sqlite' });
    program('node', '24.0.0', 1);
    assert.deepEqual(await findNewerNode(environment()), { tooOld: '24.0.0' });
    program('node', `v24 ${'x'.repeat(60)}`);
    assert.deepEqual(await findNewerNode(environment()), { tooOld: `v24 ${'x'.repeat(36)}` });
  });

  it('is looked for on the PATH first, then in known places', async () => {
    const further = [
      join(folder, 'not-there'),
      program('old', '18.0.0'),
      program('new', '24.0.0'),
      program('newer', '25.0.0'),
    ];
    assert.deepEqual(await findNewerNode(environment(), further), { path: join(folder, 'new') });
    assert.deepEqual(await findNewerNode(environment(), further.slice(0, 2)), { tooOld: undefined });
    const onPath = program('node', '20.0.0');
    assert.deepEqual(await findNewerNode(environment(), further.slice(0, 2)), { tooOld: '20.0.0' });
    program('node', '22.14.0');
    assert.deepEqual(await findNewerNode(environment(), further), { path: onPath });
  });

  it('is the current one if it has the database', async () => {
    assert.equal(hasDatabase(), true);
    symlinkSync(process.execPath, join(folder, 'node'));
    assert.deepEqual(await findNewerNode(environment()), { path: join(folder, 'node') });
  });
});

describe('Secret of a process', () => {
  /** Overwrites what is in its environment as SECRET, then says what the system still shows of it. */
  const child = new URL('./scrubChild.ts', import.meta.url);

  before(function () {
    if (process.platform !== 'linux') this.skip();
  });

  it('is overwritten wherever the system shows it, and nothing else is', () => {
    const secret = 'hidden-secret';
    const shown = execFileSync(
      process.execPath,
      [
        '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
        '--disable-warning=ExperimentalWarning',
        child.pathname,
        `--a=${secret}`,
        `${secret}${secret}`,
        '--kept',
      ],
      { encoding: 'utf8', env: { SECRET: secret, OTHER: `before ${secret} after`, KEPT: 'kept' } },
    );
    const { line, environment } = JSON.parse(shown) as { line: string[]; environment: string[] };
    const gone = 'x'.repeat(secret.length);
    assert.deepEqual(line.slice(-4), [`--a=${gone}`, `${gone}${gone}`, '--kept', '']);
    assert.deepEqual(environment.filter((each) => /^(?:SECRET|OTHER|KEPT)=/.test(each)).sort(), [
      'KEPT=kept',
      `OTHER=before ${gone} after`,
      `SECRET=${gone}`,
    ]);
  });
});
