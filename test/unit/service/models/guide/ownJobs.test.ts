import assert from 'node:assert/strict';
import { aboutNamedJob, aboutOwnJobs, ownJobsTools } from '../../../../../src/service/models/guide/ownJobs.ts';
import type { Question, ToolStep } from '../../../../../src/service/models/guide/question.ts';
import './approvedOwnJobs.part.ts';

describe('what is read to answer about somebody’s own jobs', () => {
  const jobs = [
    { job_id: '7', name: 'hello' },
    { job_id: '8', name: 'etl nightly' },
  ];
  const step = (name: string, result: object | string): ToolStep => ({
    name,
    arguments: '{}',
    result: typeof result === 'string' ? result : JSON.stringify(result),
  });
  const someRuns = {
    profile: 'local',
    count: 1,
    is_whole: true,
    runs: [{ run_id: '9', name: 'hello #1', state: 'Failed' }],
  };
  const listed = step('list_jobs', { profile: 'local', count: 2, jobs });
  const ask = (text: string, steps: ToolStep[] = [], more: Partial<Question> = {}, tools = ownJobsTools) =>
    aboutOwnJobs({ text, before: '', first: true, toolResults: [], steps, ...more }, text, tools);
  const call = (name: string, given: object = {}) => ({ call: { name, arguments: given } });

  for (const [text, steps, expected] of [
    ['which runs failed today', [], call('list_runs', { state: 'failed', since: 'today' })],
    ['which runs failed', [], call('list_runs', { state: 'failed' })],
    ['show my last runs', [], call('list_runs')],
    ['which jobs are there', [], call('list_jobs')],
    ['when did hello last run', [], call('list_jobs')],
    ['when did hello last run', [listed], call('list_runs', { job: '7' })],
    ['why did run 42 fail', [], call('get_run', { run_id: '42' })],
    ['why did the last run fail', [], call('list_runs', { state: 'failed', limit: 1 })],
    ['what did the last run print', [], call('list_runs', { limit: 1 })],
    ['why did the last run fail', [step('list_runs', someRuns)], call('get_run', { run_id: '9' })],
    ['why did hello fail', [listed], call('list_runs', { job: '7', state: 'failed', limit: 1 })],
    ['what did hello print', [listed], call('list_runs', { job: '7', limit: 1 })],
    ['run hello', [listed], call('run_job', { job: '7' })],
    ['show the job hello', [listed], call('get_job', { job: '7' })],
    ['what does autoscale do', [listed], undefined],
    ['what is the weather', [], undefined],
  ] as const)
    it(`is for "${text}" after ${steps.length} steps: ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(ask(text, [...steps]), expected));

  const told = (...given: Parameters<typeof ask>): string => {
    const reply = ask(...given);
    return reply && 'answer' in reply ? reply.answer.markdown : JSON.stringify(reply);
  };

  it('is told where it could not be read, is none, or is not there', () => {
    assert.match(told('which jobs are there', [step('list_jobs', { error: 'No.' })]), /could not look that up: No\./);
    assert.match(told('which jobs are there', [step('list_jobs', 'typed')]), /could not look that up: typed/);
    assert.match(
      told('which jobs are there', [step('list_jobs', '')]),
      /could not look that up: there was no answer\./,
    );
    assert.match(told('which jobs are there', [step('list_jobs', {})]), /the answer of list_jobs is none/);
    assert.match(told('show my last runs', [step('list_runs', { runs: 5 })]), /the answer of list_runs is none/);
    const notOne = { profile: 'local', count: 1, jobs: [null] };
    assert.match(told('which jobs are there', [step('list_jobs', notOne)]), /the answer of list_jobs is none/);
    assert.match(told('why did run 42 fail', [step('get_run', {})]), /the answer of get_run is none/);
    const before = { stepsBefore: [step('list_runs', { ...someRuns, runs: [null] })] };
    assert.ok(told('why did it fail', [], before).includes('"call"'), 'what was typed before is not spoken of');
    assert.match(told('run none', [listed]), /none/);
    assert.ok(!told('run none', [listed]).includes('"call"'));
  });

  for (const given of ['null', '5', '"x"', '[', 'true'])
    it(`is told as a failure where it is ${given}`, () =>
      assert.equal(told('which jobs are there', [step('list_jobs', given)]), `I could not look that up: ${given}`));

  it('is of the job whose id or very name is given, else of one that is written almost alike', () => {
    const similar = [
      { job_id: '3', name: 'ETL  nightly' },
      { job_id: '4', name: '5' },
      { job_id: '5', name: 'etl-nightly' },
      { job_id: '6', name: 'Etl' },
      { job_id: '7', name: 'etl' },
    ];
    const asked = (name: string): unknown =>
      ask(`run ${name}`, [step('list_jobs', { profile: 'local', count: 5, jobs: similar })]);
    for (const [name, job] of [
      ['etl-nightly', '5'],
      ['etl', '7'],
      ['ETL', '6'],
      ['etl_nightly', '3'],
      ['6', '6'],
    ] as const)
      assert.deepEqual(asked(name), call('run_job', { job }), name);
  });

  it('names the last attempt of a run that had several', () => {
    const runs = [{ run_id: '9', name: 'hello #3', state: 'Failed', attempt: 3, duration: '1 s' }];
    assert.match(
      told('which runs failed', [step('list_runs', { ...someRuns, runs })]),
      /^- \*\*hello #3\*\*: Failed, attempt 3, 1 s$/m,
    );
  });

  it('is of the run that was spoken of last, whatever else was read since', () => {
    const before = (...stepsBefore: ToolStep[]) => ask('why did it fail', [], { stepsBefore });
    const one = step('get_run', { profile: 'local', run_id: '4', name: 'x', state: 'Failed' });
    const started = step('run_job', { started: true, run_id: '6' });
    const runs = {
      ...someRuns,
      runs: [...someRuns.runs, { run_id: '10', name: 'y', state: 'Failed', is_failed: true }],
    };
    const many = step('list_runs', runs);
    for (const [steps, expected] of [
      [[one, listed], '4'],
      [[one, started], '6'],
      [[started, one], '4'],
      [[one, many], '10'],
    ] as const)
      assert.deepEqual(before(...steps), call('get_run', { run_id: expected }));
    assert.deepEqual(ask('what did it print', [], { stepsBefore: [many] }), call('get_run', { run_id: '9' }));
    assert.deepEqual(before(), call('list_runs', { state: 'failed', limit: 1 }));
    assert.deepEqual(before(listed), call('list_runs', { state: 'failed', limit: 1 }));
  });

  it('is nothing where "it" is what came with the question, and the named run all the same', () => {
    const attached = { text: 'why did it fail\n```\nlog\n```' };
    assert.equal(ask('why did it fail', [], attached), undefined);
    assert.deepEqual(ask('why did run 42 fail', [], attached), call('get_run', { run_id: '42' }));
    assert.deepEqual(ask('which jobs are there', [], attached), call('list_jobs'));
    assert.deepEqual(
      ask('why did it fail', [], { text: ' why did it fail\n' }),
      call('list_runs', { state: 'failed', limit: 1 }),
    );
  });

  it('is with which parameters a run was started, as the service has them', () => {
    const run = { profile: 'P', run_id: '9', name: 'x', state: 'Failed', is_failed: true, output: 'KeyError: 1' };
    const asked = (given: object): string => told('which parameters did run 9 have', [step('get_run', given)]);
    assert.equal(
      asked({ ...run, overriding_parameters: { python_params: ['7'] }, task: { spark_python_task: {} } }),
      '**x**: Failed\n\n`overriding_parameters` are those given for this run:\n\n```json\n{\n' +
        '  "overriding_parameters": {\n    "python_params": [\n      "7"\n    ]\n  },\n' +
        '  "task": {\n    "spark_python_task": {}\n  }\n}\n```',
    );
  });

  it('is told in whole sentences where there is little to tell', () => {
    const two = { profile: 'P', count: 2, jobs };
    assert.equal(told('which jobs are scheduled', [step('list_jobs', two)]), 'None of the 2 jobs of P has a schedule.');
    const quiet = { profile: 'P', count: 1, is_whole: true, runs: [{ run_id: '9', name: 'x', state: 'Succeeded' }] };
    assert.equal(told('show my last runs', [step('list_runs', quiet)]), 'One run of P:\n\n- **x**: Succeeded');
    const failed = { profile: 'P', run_id: '9', name: 'x', state: 'Failed', is_failed: true };
    assert.equal(
      told('why did run 9 fail', [step('get_run', failed)]),
      '**x**: Failed\n\nWhy it failed I cannot tell from its output; a language model may.',
    );
  });

  it('is asked of nobody without the functions, which is said only where nothing else is meant', () => {
    const few = new Set(['list_jobs']);
    assert.equal(ask('what does hello do', [], {}, few), undefined);
    for (const tools of [few, new Set(['list_runs'])])
      assert.deepEqual(ask('which runs failed today', [], {}, tools), {
        answer: {
          found: false,
          confidence: 0.6,
          markdown:
            'I cannot look at your jobs and runs here: that works in the chat of the editor, where I am offered functions that read them. ' +
            'The Jobs view shows them, and `GET /api/2.0/jobs/runs/list` gives them to programs.',
          summary:
            'I cannot look at your jobs and runs here: that works in the chat of the editor, where I am offered functions that read them. ' +
            'The Jobs view shows them, and GET /api/2.0/jobs/runs/list gives them to programs.',
          facts: {},
        },
      });
  });
});

describe('a question that names a job', () => {
  const jobs = [
    { job_id: '7', name: 'etl' },
    { job_id: '8', name: 'etl_nightly', schedule: 'every day', next_start: '2026-11-27T06:00:00Z' },
  ];
  const listed = { name: 'list_jobs', arguments: '{}', result: JSON.stringify({ profile: 'P', count: 2, jobs }) };
  const runs = {
    profile: 'P',
    count: 1,
    is_whole: true,
    runs: [{ run_id: '9', name: 'etl nightly #1', state: 'Failed' }],
  };
  const ran = { name: 'list_runs', arguments: '{}', result: JSON.stringify(runs) };
  const ask = (text: string, isKnown: boolean, steps: ToolStep[] = [], tools = ownJobsTools) =>
    aboutNamedJob({ text, before: '', first: true, toolResults: [], steps } as never, text, new Set(tools), isKnown);

  it('looks for the job of the longest name in it, then for its runs, and tells both', () => {
    const text = 'was etl nightly ok yesterday';
    assert.deepEqual(ask(text, false), { call: { name: 'list_jobs', arguments: {} } });
    assert.deepEqual(ask(text, false, [listed]), {
      call: { name: 'list_runs', arguments: { job: '8', since: 'yesterday', limit: 5 } },
    });
    assert.deepEqual(ask('did etl fail', false, [listed]), {
      call: { name: 'list_runs', arguments: { job: '7', state: 'failed', limit: 5 } },
    });
    const reply = ask(text, false, [listed, ran]);
    const markdown = reply && 'answer' in reply ? reply.answer.markdown : '';
    assert.match(markdown, /^- \*\*etl_nightly\*\*: every day, next [^]*\n\n[^]*etl nightly #1/);
  });

  it('is left to the documentation where that knows it, unless no documentation can', () => {
    assert.equal(ask('is etl the last word', true), undefined);
    assert.deepEqual(ask('when will etl run', true), { call: { name: 'list_jobs', arguments: {} } });
    assert.equal(ask('how do I see what etl did', false), undefined);
    assert.equal(ask('what does etl mean', false), undefined);
  });

  it('is none where no job of that name is known, nothing can be read, or the text is long', () => {
    assert.equal(ask('did sales run', false, [listed]), undefined);
    assert.equal(ask('did etl run', false, [], new Set(['list_jobs'])), undefined);
    assert.equal(ask('did etl run', false, [{ ...listed, result: '{"error":"No."}' }]), undefined);
    assert.equal(ask(`did etl run ${'x'.repeat(200)}`, false), undefined);
  });
});
