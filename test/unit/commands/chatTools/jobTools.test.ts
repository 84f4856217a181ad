import assert from 'node:assert/strict';
import { holdTrail } from '../../../support/trail.ts';
import { ChatToolBench } from './chatToolBench.ts';

describe('functions of models on jobs', () => {
  holdTrail(import.meta.url);
  let bench: ChatToolBench;
  const call: ChatToolBench['call'] = (...given) => bench.call(...given);
  const tools: ChatToolBench['tools'] = () => bench.tools();
  beforeEach(() => (bench = new ChatToolBench()));

  it('list jobs with what their schedules say', async () => {
    assert.deepEqual(await call('list_jobs'), {
      profile: 'Local',
      count: 2,
      jobs: [
        { job_id: '2', name: 'etl', schedule: 'wrong' },
        {
          job_id: '1',
          name: 'hello',
          schedule: 'At 06:00 every day, UTC',
          next_start: '2026-11-23T06:00:00.000Z',
        },
      ],
    });
  });

  it('give a job by its name or id, in any case', async () => {
    assert.match(String((await call('get_job', { job: 'HELLO' }))['job_file']), /name: hello/);
    assert.equal((await call('get_job', { job: 2 }))['name'], 'etl');
    await assert.rejects(call('get_job', { job: 'none' }), /There is no job "none" on Local/);
    bench.remote.set('3', { name: 'hello' });
    await assert.rejects(call('get_job', { job: 'hello' }), /several jobs "hello" on Local: 1, 3/);
  });

  it('start a job only as its command does: a profile that asks is asked', async () => {
    assert.equal(await tools().describe('run_job', '{"job":"hello"}'), 'Run job "hello" (1) on Local');
    const { content, runs } = await tools().run('run_job', '{"job":"hello"}', new AbortController().signal);
    assert.match(content, /"run_id":"77"/);
    assert.deepEqual(runs, [{ profileId: 'local', runId: '77', label: 'hello #1' }]);
    assert.deepEqual(bench.trail.slice(0, 2), ['mutation: Run job "hello" (1)', 'run-now 1']);
    bench.remote.set('4', { name: 'שלום' });
    const started = await tools().run('run_job', '{"job":4}', new AbortController().signal);
    assert.equal(started.runs?.[0]?.label, '\u2068שלום\u2069 #1', 'the number stands where it belongs');
    bench.trail = [];
    bench.mutationDeclined = true;
    assert.equal((await call('run_job', { job: 'hello' }))['started'], false);
    assert.deepEqual(bench.trail, ['mutation: Run job "hello" (1)', 'refresh']);
  });
});
