import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { ChatToolBench, hourMs, nowMs, run } from './chatToolBench.ts';
import { Bench, goodFile } from './commandSetup.ts';

describe('asking the chat about a run', () => {
  const failed: Run = {
    run_id: '9',
    job_id: '5',
    run_name: 'nightly',
    run_type: 'JOB_RUN',
    state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: 'Exit code 1.' },
  };

  it('attaches state, error, output and job file of a failed run, and sends nothing', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nightly', max_retries: 2 });
    bench.runs = [failed];
    bench.output = { logs: 'line 1', error: 'ZeroDivisionError', error_trace: 'Traceback: main.py' };
    await handlers['millrace.run.askChat'](bench.services, { runId: '9' });
    const [question] = bench.questions;
    assert.equal(question?.prompt, 'Why did this run fail, and what can I do about it?');
    const [output, file] = question?.attachments ?? [];
    for (const part of ['Failed', 'Exit code 1.', 'line 1', 'ZeroDivisionError', 'Traceback: main.py'])
      assert.ok(output?.text.includes(part), part);
    assert.deepEqual(
      [file?.label, file?.language, file?.text],
      ['nightly: job file', 'yaml', 'name: nightly\nmax_retries: 2\n'],
    );
    assert.deepEqual(bench.trail, []);
  });

  it('keeps the beginning and the end of a long output', async () => {
    const bench = new Bench();
    bench.runs = [failed];
    bench.output = { logs: `first ${'x'.repeat(1_000_000)}`, error: 'the last word' };
    await handlers['millrace.run.askChat'](bench.services, { runId: '9' });
    const text = bench.questions[0]?.attachments[0]?.text ?? '';
    assert.ok(text.length < 20_200 && text.includes('first x') && text.includes('the last word'));
    assert.match(text, /… \d+ characters left out …/);
  });

  it('works when the job is deleted and the output is not kept', async () => {
    const bench = new Bench();
    bench.runs = [{ ...failed, state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } }];
    bench.output = undefined;
    await handlers['millrace.run.askChat'](bench.services, { runId: '9' });
    assert.deepEqual(
      bench.questions.map(({ prompt, attachments }) => [prompt, attachments.length]),
      [['What did this run do?', 1]],
    );
    assert.match(bench.questions[0]?.attachments[0]?.text ?? '', /No output is kept\./);
  });
});

describe('asking about a run that cannot be read', () => {
  it('attaches nothing and reports why', async () => {
    const bench = new Bench();
    bench.runs = [{ run_id: '9', state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' } }];
    bench.outputFailure = new AppError('network', 'Nothing answers.');
    await assert.rejects(async () => handlers['millrace.run.askChat'](bench.services, { runId: '9' }), {
      message: 'Nothing answers.',
    });
    assert.deepEqual(bench.questions, []);
  });
});

describe('suggestions of the chat', () => {
  let bench: ChatToolBench;
  const tools: ChatToolBench['tools'] = () => bench.tools();
  beforeEach(() => (bench = new ChatToolBench()));

  it('ask about a failure of today, without starting a service', async () => {
    bench.runs.shift();
    const suggested = async (): Promise<string[]> =>
      (await tools().suggest()).map(({ title, prompt, icon, deed }) => [icon, title, deed, prompt].join(' | '));
    assert.deepEqual(await suggested(), [
      'error | 1 run failed today | Explain | /why 8',
      'error | #8 failed | Fix | Suggest a fix',
    ]);
    await (await tools().suggest())[1]?.take?.();
    assert.equal(bench.trail.at(-1), 'fix local 8');
    bench.runs.push(run('4', 'FAILED', nowMs - hourMs, { job_id: '2' }));
    assert.equal((await suggested())[0], 'error | 2 runs failed today | Show | /failed today');
    assert.equal((await tools().suggest())[1]?.title, '#8 failed');
    const attempt = { original_attempt_run_id: '8', attempt_number: 1 };
    bench.runs.unshift(run('9', 'FAILED', nowMs, attempt));
    assert.equal((await tools().suggest())[0]?.title, '2 runs failed today', 'two attempts are one run');
    bench.runs[0] = run('9', 'SUCCESS', nowMs, attempt);
    assert.equal((await tools().suggest())[0]?.title, '1 run failed today', 'the later attempt got done');
    bench.runs = [run('7', 'SUCCESS', nowMs)];
    assert.deepEqual(await tools().suggest(), []);
    bench.runs = [run('8', 'SUCCESS', nowMs), run('7', 'FAILED', nowMs - hourMs)];
    assert.deepEqual(await tools().suggest(), [], 'the job succeeded since');
    const copy = { run_type: 'SUBMIT_RUN', job_id: undefined, run_name: '#7 (fix)' };
    bench.runs = [run('8', 'SUCCESS', nowMs, copy), run('7', 'FAILED', nowMs - hourMs)];
    assert.deepEqual(await tools().suggest(), [], 'a fix of the run succeeded');
    bench.services.connections.connectIfUsed = async () => undefined;
    bench.services.connections.connect = () => Promise.reject(new AppError('internal', 'It was started.'));
    assert.deepEqual(await tools().suggest(), []);
  });

  it('deploy a job file without a job, once the jobs are known', async () => {
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
    assert.equal(deploy?.prompt, 'Not deployed to Local');
    await deploy?.take?.();
    assert.deepEqual(await titles(), [], 'it is deployed now');
  });

  it('change only when a job is new or a run begins or ends', () => {
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

describe('tools of the chat', () => {
  let bench: ChatToolBench;
  const tools: ChatToolBench['tools'] = () => bench.tools();
  beforeEach(() => (bench = new ChatToolBench()));

  it('refuse unknown names and wrong arguments', async () => {
    const signal = new AbortController().signal;
    await assert.rejects(tools().run('toString', '{}', signal), /There is no function toString/);
    await assert.rejects(tools().run('get_run', '{"run', signal), /are no JSON/);
    await assert.rejects(tools().run('get_run', '{}', signal), /The arguments of get_run are wrong/);
    await assert.rejects(tools().run('list_runs', '{"state":"green"}', signal), /The arguments of list_runs are wrong/);
  });
});

describe('tools on jobs', () => {
  let bench: ChatToolBench;
  const call: ChatToolBench['call'] = (...given) => bench.call(...given);
  const tools: ChatToolBench['tools'] = () => bench.tools();
  beforeEach(() => (bench = new ChatToolBench()));

  it('find a job by name or id, in any case', async () => {
    assert.match(String((await call('get_job', { job: 'HELLO' }))['job_file']), /name: hello/);
    assert.equal((await call('get_job', { job: 2 }))['name'], 'etl');
    await assert.rejects(call('get_job', { job: 'none' }), /There is no job "none" on Local/);
    bench.remote.set('3', { name: 'hello' });
    await assert.rejects(call('get_job', { job: 'hello' }), /Several jobs on Local are named "hello": 1, 3/);
  });

  it('start a job only after confirmation', async () => {
    assert.equal(await tools().describe('run_job', '{"job":"hello"}', 'llama'), 'Run job "hello" (1) on Local');
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

  it('pause and resume a schedule', async () => {
    const paused = await call('pause_job', { job: 'hello' });
    assert.deepEqual([paused['schedule_is_paused'], bench.remote.get('1')?.schedule?.pause_status], [true, 'PAUSED']);
    assert.equal((await call('resume_job', { job: 1 }))['schedule_is_paused'], false);
  });

  it('name the job or run, its ID and the profile of a change, and who gets a file', async () => {
    const about = (name: string, given: object): Promise<string> =>
      tools().describe(name, JSON.stringify(given), 'llama');
    assert.match(await about('pause_job', { job: 'hello' }), /"hello" \(1\) on Local/);
    assert.match(await about('cancel_run', { run_id: 9 }), /hello.* #9 \(9\) on Local/);
    assert.match(await about('read_file', { path: 'a.py' }), /a\.py .*llama of Local/);
  });
});

describe('tools on runs', () => {
  let bench: ChatToolBench;
  const call: ChatToolBench['call'] = (...given) => bench.call(...given);
  beforeEach(() => (bench = new ChatToolBench()));

  it('list the runs of a state and of days in the local time zone', async () => {
    const ids = async (given: object): Promise<string[]> =>
      ((await call('list_runs', given))['runs'] as { run_id: string }[]).map(({ run_id: id }) => id);
    assert.deepEqual(await ids({}), ['9', '8', '7', '6', '5']);
    assert.deepEqual(await ids({ state: 'failed', since: 'today' }), ['8']);
    assert.deepEqual(await ids({ state: 'failed', since: 'yesterday' }), ['6']);
    assert.deepEqual(await ids({ state: 'failed', since: 'week' }), ['8', '6']);
    assert.deepEqual(await ids({ state: 'active' }), ['9']);
    assert.deepEqual(await ids({ state: 'succeeded', limit: '1' }), ['7']);
    const { count, is_whole: isWhole, runs } = await call('list_runs', { state: 'failed', limit: 1 });
    assert.deepEqual([count, isWhole], [3, true]);
    assert.deepEqual(runs, [
      {
        run_id: '8',
        name: 'hello #8',
        job_id: '1',
        state: 'Failed',
        is_failed: true,
        is_active: false,
        started: new Date(nowMs - 2 * hourMs).toISOString(),
      },
    ]);
  });

  it('cancel an active run', async () => {
    await call('cancel_run', { run_id: '9' });
    assert.ok(bench.trail.includes('cancel 9'), bench.trail.join());
    bench.trail = [];
    assert.equal((await call('cancel_run', { run_id: '8' }))['state'], 'Failed');
    assert.deepEqual(bench.trail, []);
  });

  it('compare two runs with a diff of their outputs', async () => {
    bench.output = { logs: 'a\nb' };
    assert.equal((await call('compare_runs', { run_id: '7', other_run_id: '8' }))['outputs_are_equal'], true);
    const { jobs } = (await bench.services.connections.connect()).client;
    const { getRunOutput } = jobs;
    bench.services.connections.connect = async () =>
      ({
        profile: bench.profile,
        client: {
          jobs: { ...jobs, getRunOutput: async (id: string) => ({ ...(await getRunOutput(id)), logs: `run ${id}` }) },
        },
      }) as never;
    const compared = await call('compare_runs', { run_id: '7', other_run_id: '8' });
    assert.match(String(compared['diff']), /-run 7\n\+run 8$/);
  });

  it('report the exception of the newest failures', async () => {
    const exited = { state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: 'Code 1.' } };
    bench.runs = Array.from({ length: 7 }, (_each, place) =>
      run(String(20 - place), place === 1 ? 'SUCCESS' : 'FAILED', nowMs - place, place === 1 ? {} : exited),
    );
    bench.output = { error: 'KeyError: x' };
    const messages = async (): Promise<unknown[]> =>
      ((await call('list_runs'))['runs'] as { message?: string }[]).map(({ message }) => message);
    const raised = 'KeyError: x';
    assert.deepEqual(await messages(), [raised, undefined, raised, raised, raised, raised, 'Code 1.']);
    bench.output = {};
    assert.deepEqual((await messages())[0], 'Code 1.');
  });

  it('count the attempts of a run once, in the state of the last one', async () => {
    const attempt = (id: string, number: number, result: string): Run =>
      run(id, result, nowMs + number, { original_attempt_run_id: '11', attempt_number: number });
    bench.runs = [
      attempt('13', 2, 'FAILED'),
      run('12', 'FAILED', nowMs),
      attempt('14', 1, 'FAILED'),
      run('11', 'FAILED', nowMs),
    ];
    const listed = async (state: string): Promise<unknown[]> => {
      const { count, runs } = (await call('list_runs', { state })) as {
        count: number;
        runs: Record<string, unknown>[];
      };
      return [count, runs.map((one) => [one['run_id'], one['attempt']])];
    };
    const whole = [
      2,
      [
        ['13', 3],
        ['12', undefined],
      ],
    ];
    assert.deepEqual([await listed('failed'), await listed('any')], [whole, whole]);
    bench.runs[0] = attempt('13', 2, 'SUCCESS');
    assert.deepEqual(await listed('failed'), [1, [['12', undefined]]]);
    assert.deepEqual(await listed('succeeded'), [1, [['13', 3]]]);
  });

  it('return the output of a run, or why there is none', async () => {
    bench.output = { error: 'KeyError: x' };
    assert.match(String((await call('get_run', { run_id: 8 }))['output']), /hello #8 — Failed[\s\S]*KeyError: x/);
    bench.output = undefined;
    assert.match(String((await call('get_run', { run_id: '8' }))['output']), /No output is kept/);
  });
});
