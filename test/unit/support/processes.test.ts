import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { root } from '../../support/paths.ts';
import { markOfInnerRun } from '../../support/processes.ts';

/** Starts a process that lives on and one more that looks for what is left of its run; resolves with what the second says. */
async function whatIsLeft(environment: NodeJS.ProcessEnv): Promise<{ said: string; exitCode: number }> {
  const script = `
    import { spawn } from 'node:child_process';
    import { endLeftovers, markOfInnerRun } from ${JSON.stringify(path.join(root, 'test', 'support', 'processes.ts'))};
    const start = (more) => spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore', env: { ...process.env, ...more } });
    const children = [start({}), start(markOfInnerRun())];
    await Promise.all(children.map((child) => new Promise((resolve) => child.once('spawn', resolve))));
    const left = await endLeftovers(300);
    console.log(JSON.stringify(left.map((one) => one.pid).toSorted()) === JSON.stringify(children.map((one) => one.pid).toSorted()));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(child, 'close');
  return { said: text.trim(), exitCode: child.exitCode ?? -1 };
}

describe('Processes that a test run leaves behind', () => {
  before(function () {
    // Elsewhere nobody looks for it.
    if (process.platform !== 'linux') this.skip();
  });

  it('are found, including those of an inner run, but not those beside an inner run', async () => {
    const beside = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' });
    try {
      assert.deepEqual(await whatIsLeft({ ...process.env, ...markOfInnerRun() }), { said: 'true', exitCode: 0 });
      assert.equal(beside.exitCode ?? beside.signalCode, null);
    } finally {
      beside.kill('SIGKILL');
    }
  });
});
