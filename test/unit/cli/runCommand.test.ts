import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandNames, exitCodes, helpText } from '../../../src/cli/commandLine.ts';
import { type JobsServer, startJobsServer } from '../../support/jobsServer.ts';
import { jsonSchemaText } from '../../support/jsonSchemaFile.ts';
import { runSource } from './sourceProgram.ts';

const job = 'name: nightly\nexisting_cluster_id: c\nspark_python_task: {python_file: "dfs:/main.py"}\n';

describe('the program millrace', function () {
  this.timeout(60_000);
  let folder: string;
  let server: JobsServer;
  const run = (line: readonly string[], options: Parameters<typeof runSource>[1] = {}) =>
    runSource(line, {
      folder,
      ...options,
      environment: { XDG_STATE_HOME: join(folder, 'state'), ...options.environment },
    });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-program-'));
    writeFileSync(join(folder, 'a.job.yml'), job);
    server = await startJobsServer('s3cret');
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows its help where it is asked for, or for nothing', async () => {
    for (const line of [[], ['help'], ['--help'], ['-h'], ['check', '--help'], ['deploy', 'a.job.yml', '-h']]) {
      const { code, out, said } = await run(line);
      assert.deepEqual([code, out, said], [exitCodes.ok, helpText, ''], line.join(' '));
    }
  });

  it('knows its commands and no other word', async () => {
    for (const word of ['nope', 'toString', 'constructor', 'HELP']) {
      const { code, out, said } = await run([word]);
      assert.deepEqual([code, out], [exitCodes.usage, ''], word);
      assert.equal(
        said,
        `Nothing was done: "${word}" is not a command; there are ${Object.keys(commandNames).join(', ')}. ` +
          'Run "millrace --help" to see what it takes.\n',
      );
    }
  });

  it('leads each word to its command', async () => {
    for (const [line, words] of [
      [['check'], /check needs the files to check/],
      [['deploy'], /deploy needs/],
      [['pull'], /pull needs/],
      [['run'], /run needs/],
      [['runs', 'a', 'b'], /runs takes/],
      [['logs'], /logs needs/],
    ] as const) {
      const { code, said } = await run(line);
      assert.deepEqual([code, words.test(said) ? 'said' : said], [exitCodes.usage, 'said']);
    }
    const { code, out, said } = await run(['schema']);
    assert.deepEqual([code, JSON.parse(out), said], [exitCodes.ok, JSON.parse(jsonSchemaText()), '']);
  });

  it('ends as its command does', async () => {
    writeFileSync(join(folder, 'b.job.yml'), 'name: 5\n');
    const [right, wrong] = [await run(['check', 'a.job.yml']), await run(['check', 'b.job.yml'])];
    assert.deepEqual([right.code, wrong.code], [exitCodes.ok, exitCodes.failed]);
    const gone = await run(['deploy', 'gone.job.yml', '--url', server.url]);
    assert.equal(gone.code, exitCodes.failed);
    assert.match(gone.said, /gone\.job\.yml/);
    const { code, said } = await run(['runs', '--url', server.url], { environment: { MILLRACE_TOKEN: 'other' } });
    assert.equal(code, exitCodes.failed);
    // In words of the command line, which has no profile.
    assert.match(said, /MILLRACE_TOKEN/);
    assert.doesNotMatch(said, /profile/);
  });

  it('signs in with the token of its environment, where nobody finds it afterwards', async () => {
    // On Linux the environment that a program was started with can be read by others of the same user.
    const left =
      'data:text/javascript,import{existsSync as e,readFileSync as r}from"node:fs";const f="/proc/self/environ";' +
      'process.on("exit",()=>console.error("left:",process.env.MILLRACE_TOKEN,e(f)&&r(f,"utf8").includes("s3cret")))';
    const { code, out, said } = await run(['runs', '--json', '--url', server.url], {
      environment: { MILLRACE_TOKEN: 's3cret' },
      flags: [`--import=${left}`],
    });
    assert.equal(code, exitCodes.ok, said);
    assert.match(out, /"run_id": ?"?5/);
    assert.equal(said, 'left: undefined false\n');
    const empty = await run(['runs', '--json', '--url', server.url], { environment: { MILLRACE_TOKEN: '' } });
    assert.equal(empty.code, exitCodes.failed);
  });

  it('ends when its command does, whatever is still open', async () => {
    const { code } = await run(['check', 'a.job.yml'], {
      flags: ['--import=data:text/javascript,setInterval(()=>undefined,1e6)'],
    });
    assert.equal(code, exitCodes.ok);
  });

  it('says nothing of what Node thinks of itself', async () => {
    const warns =
      'data:text/javascript,process.on("newListener",(name)=>{' +
      'if(name==="SIGTERM")process.emitWarning("It may change.","ExperimentalWarning")})';
    const { code, said } = await run(['check', 'a.job.yml'], { flags: [`--import=${warns}`] });
    assert.deepEqual([code, said], [exitCodes.ok, '']);
  });

  it('is no failure where its reader has read enough', async () => {
    const { code, said } = await run(['schema'], { meanwhile: (child) => void child.stdout?.destroy() });
    assert.deepEqual([code, said], [exitCodes.ok, '']);
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    it(`ends a command with ${signal}, and says nothing of a failure`, async () => {
      let asked = false;
      server.before = () => {
        asked = true;
        return new Promise(() => undefined);
      };
      const { code, said, out } = await run(['runs', '--url', server.url], {
        environment: { MILLRACE_TOKEN: 's3cret' },
        meanwhile: async (child) => {
          while (!asked) await delay(10);
          child.kill(signal);
        },
      });
      assert.deepEqual([code, out], [130, '']);
      assert.doesNotMatch(said, /Interrupted|failed/);
    });

  it('ends at once with the second Ctrl+C, whatever it waits for', async function () {
    if (process.platform === 'win32') this.skip();
    // It can be opened only together with who reads it, and then nothing comes.
    const pipe = join(folder, 'b.job.yml');
    execFileSync('mkfifo', [pipe]);
    const { code } = await run(['check', pipe], {
      meanwhile: async (child) => {
        const writer = await open(pipe, 'w');
        for (let turn = 0; turn < 500 && child.exitCode === null; turn += 1) {
          child.kill('SIGINT');
          await delay(10);
        }
        await writer.close();
      },
    });
    assert.equal(code, 130);
  });

  it('ends a run whose output nobody reads as a shell tells of it', async () => {
    // It goes on until somebody ends it.
    server.before = (path) => (path === 'jobs/runs/get' ? new Promise(() => undefined) : Promise.resolve());
    const { code } = await run(['run', 'a.job.yml', '--wait', '--yes', '--url', server.url], {
      environment: { MILLRACE_TOKEN: 's3cret' },
      meanwhile: (child) => void child.stderr?.destroy(),
    });
    assert.equal(code, 141);
  });
});
