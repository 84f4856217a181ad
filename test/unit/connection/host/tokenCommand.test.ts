import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokenCommandEnvironment, runTokenCommand } from '../../../../src/connection/host/tokenCommand.ts';
import { isAppError } from '../../../../src/shared/errors.ts';

describe('token command', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-command-'));
  });

  after(() => rm(folder, { recursive: true, force: true }));

  async function program(source: string): Promise<string> {
    const file = join(folder, `p${Math.random().toString(36).slice(2)}.cjs`);
    await writeFile(file, source);
    return `"${process.execPath}" "${file}"`;
  }

  it('takes what the command prints', async () => {
    assert.equal(await runTokenCommand(await program('console.log("  tok-1  ")')), 'tok-1');
    assert.equal(
      await runTokenCommand(await program('console.log(JSON.stringify({ access_token: "tok-2", expiry: "x" }))')),
      'tok-2',
    );
  });

  it('takes the field of a token by any of its names, the first of them, and a text that only begins like JSON', async () => {
    const cases: [printed: string, token: string][] = [
      ['{"token": " t ", "accessToken": " a "}', 'a'],
      ['{"token": "t", "access_token": "b", "accessToken": "a"}', 'b'],
      [' {"token": " t\\n"} \n', 't'],
      ['{brace', '{brace'],
    ];
    const found = cases.map(async ([printed]) =>
      runTokenCommand(await program(`process.stdout.write(${JSON.stringify(printed)})`)),
    );
    assert.deepEqual(
      await Promise.all(found),
      cases.map(([, token]) => token),
    );
    await assert.rejects(
      runTokenCommand(await program('console.log(JSON.stringify({ access_token: 5 }))')),
      /without printing a token/,
    );
  });

  it('tells the last three lines that the command said, without secrets and not at length', async () => {
    const said = await program(
      'console.error("one\\ntwo\\nthree\\nBearer abcdefghijklmnopqrstuvwxyz0123456789\\n" + "x".repeat(900)); process.kill(process.pid, "SIGTERM")',
    );
    await assert.rejects(runTokenCommand(said), (error) => {
      assert.ok(isAppError(error));
      assert.match(error.message, /failed \(SIGTERM\)\. Nothing was sent\. It said: three Bearer .*xxx$/);
      assert.doesNotMatch(error.message, /two|abcdefghij/);
      assert.ok(error.message.length < 800, String(error.message.length));
      return true;
    });
    const long = await program('process.stdout.write("x".repeat(300 * 1024))');
    await assert.rejects(runTokenCommand(long), { kind: 'unavailable' });
  });

  it('runs no shell', async () => {
    const marker = join(folder, 'marker');
    const command = await program('console.log(process.argv.slice(2).join("|"))');
    assert.equal(
      await runTokenCommand(`${command} ; touch ${marker} && $(touch ${marker}) \`touch\``),
      `;|touch|${marker}|&&|$(touch|${marker})|\`touch\``,
    );
    await assert.rejects(access(marker));
  });

  it('has the environment of the user, not that of the editor', () => {
    assert.deepEqual(
      tokenCommandEnvironment({
        PATH: '/bin',
        HOME: '/h',
        AWS_PROFILE: 'x',
        VSCODE_IPC_HOOK: 'a',
        ELECTRON_RUN_AS_NODE: '1',
        NODE_OPTIONS: '--require x',
        MILLRACE_TOKEN: 't',
      }),
      { PATH: '/bin', HOME: '/h', AWS_PROFILE: 'x' },
    );
  });

  it('runs in the home folder with that environment, so that nothing in the open folder can stand in for anything', async () => {
    const command = await program(
      'console.log(JSON.stringify({ token: JSON.stringify([process.cwd(), ' +
        'Object.keys(process.env).filter((name) => /^(VSCODE|MILLRACE)_PROBE/.test(name))]) }))',
    );
    Object.assign(process.env, { VSCODE_PROBE: 'a', MILLRACE_PROBE: 'b' });
    try {
      assert.deepEqual(JSON.parse(await runTokenCommand(command)), [realpathSync(homedir()), []]);
    } finally {
      delete process.env['VSCODE_PROBE'];
      delete process.env['MILLRACE_PROBE'];
    }
  });

  it('says what failed and never what was printed', async () => {
    const cases: [string, string, RegExp][] = [
      ['millrace-no-such-program', 'unavailable', /was not found/],
      [
        await program('console.log("printed-secret-token"); console.error("login has expired"); process.exit(3)'),
        'unavailable',
        /failed \(3\).*login has expired/,
      ],
      [await program(''), 'unavailable', /without printing a token/],
      [await program('console.log("{}")'), 'unavailable', /without printing a token/],
      ['tool "open', 'invalid', /not closed/],
    ];
    for (const [command, kind, message] of cases) {
      await assert.rejects(
        runTokenCommand(command),
        (error) =>
          isAppError(error) &&
          error.kind === kind &&
          message.test(error.message) &&
          error.remedy !== undefined &&
          !error.message.includes('printed-secret-token'),
      );
    }
  });

  it('can be stopped', async () => {
    const abort = new AbortController();
    const running = runTokenCommand(await program('setInterval(() => {}, 1000)'), { signal: abort.signal });
    abort.abort();
    await assert.rejects(running, { kind: 'aborted' });
  });
});
