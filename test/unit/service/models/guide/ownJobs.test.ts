import assert from 'node:assert/strict';
import { aboutOwnJobs, ownJobsTools } from '../../../../../src/service/models/guide/ownJobs.ts';
import type { Question, ToolStep } from '../../../../../src/service/models/guide/question.ts';

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

  it('is asked of nobody without the functions, which is said only where nothing else is meant', () => {
    const few = new Set(['list_jobs']);
    assert.notEqual(ask('which runs failed today', [], {}, few), undefined);
    assert.equal(ask('what does hello do', [], {}, few), undefined);
    assert.ok(!told('which runs failed today', [], {}, few).includes('"call"'));
  });
});
