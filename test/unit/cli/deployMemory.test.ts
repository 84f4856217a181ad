import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DeployMemory } from '../../../src/cli/deployMemory.ts';

describe('deploys of one file at a time', () => {
  let folder: string;
  let file: string;
  let lock: string;
  const { signal } = new AbortController();

  beforeEach(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-turns-'));
    file = path.join(folder, 'a.job.yml');
    fs.writeFileSync(file, 'name: a\n');
    // Where the lock is, is learnt by having it.
    await deploy(async () => {
      lock = path.join(memory().folder, fs.readdirSync(memory().folder).find((name) => name.endsWith('.lock')) ?? '');
    });
  });
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

  const memory = (): DeployMemory => new DeployMemory(path.join(folder, 'deployments'));
  const deploy = (work: () => Promise<void>, onWait = () => {}): Promise<void> =>
    memory().inTurn(file, onWait, signal, work);
  const left = (): string[] => fs.readdirSync(path.join(folder, 'deployments'));
  const ended = (): number => spawnSync(process.execPath, ['-e', '']).pid;

  it('wait for each other, however many there are, also after one that was killed', async () => {
    fs.writeFileSync(lock, `${ended()} killed`);
    let [atOnce, most, waits] = [0, 0, 0];
    const one = (): Promise<void> =>
      deploy(
        async () => {
          most = Math.max(most, (atOnce += 1));
          await pause(30);
          atOnce -= 1;
        },
        () => (waits += 1),
      );
    await Promise.all(Array.from({ length: 8 }, one));
    assert.deepEqual([most, left()], [1, []]);
    assert.ok(waits >= 7, String(waits));
  });

  it('wait for no process that only has the number of one that was killed', async function () {
    this.timeout(60_000);
    fs.writeFileSync(lock, `${process.pid} another`);
    const begun = performance.now();
    await deploy(async () => undefined);
    assert.ok(performance.now() - begun >= 9_900, 'whoever has it may only be slow to say so');
    assert.deepEqual(left(), []);
  });

  it('take away no lock but their own', async () => {
    await deploy(async () => fs.writeFileSync(lock, 'another'));
    assert.equal(fs.readFileSync(lock, 'utf8'), 'another');
  });

  it('keep their lock while they go on', async function () {
    this.timeout(60_000);
    let isOver = false;
    const long = deploy(async () => {
      await pause(11_000);
      isOver = true;
    });
    await deploy(async () => assert.ok(isOver, 'the other one was still going on'));
    await long;
    assert.deepEqual(left(), []);
  });
});
