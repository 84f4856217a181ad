import assert from 'node:assert/strict';
import { AppError } from '../../../../src/shared/errors.ts';
import { holdTrail } from '../../../support/trail.ts';
import { goodFile } from '../commandSetup.ts';
import { ChatToolBench, hourMs, nowMs, run } from './chatToolBench.ts';

describe('what the chat suggests', () => {
  holdTrail(import.meta.url);
  let bench: ChatToolBench;
  const tools: ChatToolBench['tools'] = () => bench.tools();
  beforeEach(() => (bench = new ChatToolBench()));

  it('is to ask about what failed today, and start no service for that', async () => {
    bench.runs.shift();
    const suggested = async (): Promise<string[]> =>
      (await tools().suggest()).map(({ title, prompt, icon, deed }) => [icon, title, deed, prompt].join(' | '));
    assert.deepEqual(await suggested(), [
      'error | 1 run failed today | Explain | Why did run 8 fail?',
      'error | #8 failed | Fix | Look for a change that mends it',
    ]);
    await (await tools().suggest())[1]?.take?.();
    assert.equal(bench.trail.at(-1), 'fix local 8');
    bench.runs.push(run('4', 'FAILED', nowMs - hourMs));
    assert.equal((await suggested())[0], 'error | 2 runs failed today | Show | Which runs failed today?');
    assert.equal((await tools().suggest())[1]?.title, '#8 failed');
    const attempt = { original_attempt_run_id: '8', attempt_number: 1 };
    bench.runs.unshift(run('9', 'FAILED', nowMs, attempt));
    assert.equal((await tools().suggest())[0]?.title, '2 runs failed today', 'two attempts are one run');
    bench.runs[0] = run('9', 'SUCCESS', nowMs, attempt);
    assert.equal((await tools().suggest())[0]?.title, '1 run failed today', 'the later attempt got done');
    bench.runs = [run('7', 'SUCCESS', nowMs)];
    assert.deepEqual(await tools().suggest(), []);
    bench.services.connections.connectIfUsed = async () => undefined;
    bench.services.connections.connect = () => Promise.reject(new AppError('internal', 'It was started.'));
    assert.deepEqual(await tools().suggest(), []);
  });

  it('is to watch a run that is going', async () => {
    bench.runs = [run('9', undefined, nowMs - hourMs), run('7', 'SUCCESS', nowMs)];
    bench.store.setJobs([{ job_id: '1', settings: { name: 'hello' } }], 1);
    bench.texts.clear();
    const [watch, ...others] = await tools().suggest();
    assert.deepEqual([watch?.icon, watch?.title, watch?.deed], ['loading', 'hello #9 is going on', 'Watch']);
    assert.deepEqual([watch?.prompt, others], ['Local', []]);
    await watch?.take?.();
    assert.match(String(bench.trail.at(-1)), /9/);
  });

  it('is to deploy a job file whose job is nowhere, once the jobs are known', async () => {
    bench.runs = [];
    const titles = async (): Promise<string[]> => (await tools().suggest()).map(({ title }) => title);
    assert.deepEqual(await titles(), [], 'nobody knows yet');
    bench.store.setJobs([{ job_id: '1', settings: { name: ' hello ' } }], 1);
    bench.texts = new Map([
      ['file:///w/a.job.yml', goodFile.replace('nightly', "'hello' # the first")],
      ['file:///w/b.job.yml', `job_id: 7\n${goodFile}`],
      ['file:///w/c.job.yml', 'name: not to be deployed\n'],
    ]);
    assert.deepEqual(await titles(), []);
    bench.texts.set('file:///w/nightly.job.yml', goodFile);
    const [deploy] = await tools().suggest();
    assert.deepEqual([deploy?.icon, deploy?.title, deploy?.deed], ['cloud', 'file:///w/nightly.job.yml', 'Deploy']);
    assert.equal(deploy?.prompt, 'It is not deployed to Local');
    await deploy?.take?.();
    assert.deepEqual(await titles(), [], 'it is deployed now');
  });

  it('is something else once a job is new or a run begins or ends, and not while it goes on', () => {
    let changes = 0;
    const listening = tools().onDidChangeSuggestions(() => (changes += 1));
    const going = run('9', undefined, nowMs);
    bench.store.mergeRuns([going], 1);
    bench.store.mergeRuns(
      [{ ...going, state: { life_cycle_state: 'TERMINATING', state_message: 'soon' } } as never],
      2,
    );
    assert.equal(changes, 1);
    bench.store.mergeRuns([run('9', 'SUCCESS', nowMs)], 3);
    assert.ok(changes > 1);
    const before = changes;
    bench.store.setJobs([{ job_id: '1', settings: { name: 'hello' } }], 4);
    assert.equal(changes, before + 1);
    bench.store.mergeRuns([run('10', undefined, nowMs)], 5);
    listening.dispose();
    bench.store.mergeRuns([run('10', 'SUCCESS', nowMs)], 6);
    assert.equal(changes, before + 2);
  });
});
