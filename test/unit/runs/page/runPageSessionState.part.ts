import assert from 'node:assert/strict';
import type { Run, RunOutput } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunPageSession } from '../../../../src/runs/page/runPageSession.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { staging } from '../../../support/editorStandIn/connections.ts';
import { holdTrail } from '../../../support/trail.ts';
import { Bench, settle, state } from './runPageBench.ts';

describe('the state behind the page of a run', () => {
  holdTrail(import.meta.url);
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.session.pause());
  const resume = async (): Promise<void> => {
    bench.session.resume();
    await settle();
  };
  const advance = async (ms: number): Promise<void> => {
    await bench.clock.advance(ms);
    await settle();
  };
  const end = (result = 'SUCCESS'): void => {
    bench.run = {
      ...bench.run,
      state: state('TERMINATED', result),
      end_time: bench.clock.now(),
      execution_duration: 8,
    };
  };

  it('is the run, once it was read', async () => {
    assert.ok(bench.session instanceof RunPageSession);
    assert.equal(bench.session.run, undefined);
    await resume();
    assert.equal(bench.session.run, bench.run);
    assert.equal(bench.session.runLabel('9'), undefined);
  });

  it('is asked for by its id, without a wait for better times, and as long as somebody looks', async () => {
    bench.give({ text: 'one\n', nextOffset: 4, size: 2_000_000 });
    bench.give({ text: 'x\ntail\n', nextOffset: 2_000_000, size: 2_000_000 });
    await resume();
    const signals = bench.requests.map((request) => (request.at(-1) as { signal: AbortSignal }).signal);
    assert.deepEqual(
      bench.requests.map((request) => {
        const { signal: _signal, ...options } = request.at(-1) as { signal: AbortSignal };
        return [...request.slice(0, -1), options];
      }),
      [
        ['7', { retry: 'fail' }],
        ['1', { retry: 'fail' }],
        [{ job_id: '1', limit: 100 }, { retry: 'fail' }],
        [{ runId: '7', offset: 0, wait: true }, { retry: 'fail' }],
        [{ runId: '7', offset: 1_968_000, wait: false }, { retry: 'fail' }],
        [{ runId: '7', offset: 4, wait: true }, { retry: 'fail' }],
      ],
    );
    bench.session.pause();
    assert.ok(signals.every(({ aborted }) => aborted));
    bench = new Bench();
    bench.profile = staging;
    await resume();
    const [id, { signal, ...options }] = bench.requests.at(-1) as [string, { signal: AbortSignal }];
    assert.deepEqual([bench.asked.at(-1), id, options, signal.aborted], ['output', '7', { retry: 'fail' }, false]);
  });

  it('is left without a word, whatever is waited for', async () => {
    await resume();
    const { length } = bench.posted;
    bench.session.pause();
    await settle();
    assert.equal(bench.posted.length, length, 'a piece was waited for');
    bench = new Bench();
    bench.failure = new AppError('network', 'no');
    await resume();
    const told = bench.posted.length;
    bench.session.pause();
    await settle();
    assert.equal(bench.posted.length, told, 'another attempt was waited for');
  });

  it('is drawn where something is new, and not else', async () => {
    await resume();
    end();
    bench.give({ text: '', isEnd: true });
    await settle();
    const { length } = bench.posted;
    await advance(30_000);
    assert.equal(bench.posted.length, length);
    await advance(30_000);
    assert.equal(bench.posted.length, length + 1, 'a minute has passed');
  });

  it('is not asked for any more once the run is over, though its output is still on its way', async () => {
    await resume();
    end();
    await advance(1000);
    assert.deepEqual([bench.view.title.startsWith('Succeeded'), bench.view.output.isGoing], [true, false]);
    const { length } = bench.asked;
    await advance(10_000);
    assert.equal(bench.asked.length, length);
    assert.deepEqual(bench.ended, []);
  });

  it('is not taken for the end where the output ends before the run does', async () => {
    bench.give({ text: '', isEnd: true });
    await resume();
    assert.deepEqual([bench.ended, bench.view.output.isGoing], [[], false]);
  });

  it('is none of the output that was read already, after a rest as well', async () => {
    end();
    bench.give({ text: 'one\n', nextOffset: 4, size: 4, isEnd: true });
    await resume();
    bench.session.pause();
    bench.asked.length = 0;
    await resume();
    assert.deepEqual(bench.asked, ['connect', 'run', 'run']);
    assert.equal(bench.outputs.length, 1);
    assert.deepEqual(bench.view.output, { note: '', isGoing: false, end: 'End of output.' });
  });

  it('follows the attempt that is shown, also where the others are not read again', async () => {
    bench.run = { ...bench.run, original_attempt_run_id: '6', attempt_number: 1, start_time: bench.clock.now() - 2000 };
    await resume();
    const icons = (): string[] => bench.view.attempts.map(({ state: { icon } }) => icon);
    assert.equal(icons()[1], 'loading');
    bench.run = { ...bench.run, state: state('TERMINATING') };
    await advance(1000);
    assert.equal(icons()[1], 'loading');
    assert.equal(bench.asked.filter((each) => each === 'runs').length, 1);
  });

  it('has the attempts of this run alone, the oldest first, and waits for the last of all', async () => {
    const attempt = (id: string, number: number, more: object = {}): Run =>
      ({
        run_id: id,
        job_id: '1',
        run_type: 'JOB_RUN',
        original_attempt_run_id: '6',
        attempt_number: number,
        start_time: bench.clock.now() - 10_000 + number,
        end_time: bench.clock.now() - 5000,
        state: state('TERMINATED', 'FAILED'),
        ...more,
      }) as Run;
    bench.run = { ...bench.run, ...attempt('7', 1) };
    bench.others = [
      attempt('21', 1, { original_attempt_run_id: '20' }),
      attempt('20', 0, { original_attempt_run_id: '20' }),
      attempt('8', 2, { end_time: 0, state: state('RUNNING') }),
      attempt('6', 0),
    ];
    bench.job = { job_id: '1', settings: { name: 'etl', max_retries: 2 } };
    await resume();
    bench.give({ text: '', isEnd: true });
    await settle();
    assert.deepEqual(
      bench.view.attempts.map(({ runId, isThis }) => [runId, isThis]),
      [
        ['6', false],
        ['7', true],
        ['8', false],
      ],
    );
    bench.asked.length = 0;
    await advance(1000);
    assert.deepEqual(bench.asked, ['run', 'runs'], 'the last one goes on');
  });

  it('has no attempts where the job has none, and asks for no list of them', async () => {
    const asked = async (settings: object | undefined, attempt?: number): Promise<boolean> => {
      bench.session.pause();
      bench = new Bench();
      bench.job = { job_id: '1', ...(settings ? { settings: { name: 'etl', ...settings } } : {}) };
      bench.run = { ...bench.run, attempt_number: attempt };
      await resume();
      assert.equal(bench.view.notice, undefined);
      return bench.asked.includes('runs');
    };
    assert.deepEqual([await asked({ max_retries: 0 }), await asked({}), await asked(undefined)], [false, false, false]);
    assert.deepEqual([await asked({ max_retries: -1 }), await asked({}, 1)], [true, true]);
  });

  it('asks again for a job whose answer was not waited for', async () => {
    bench.failures = { job: new AppError('aborted', 'Left.') };
    await resume();
    assert.equal(bench.titles.at(-1), '#3');
    bench.failures = {};
    bench.session.retry();
    await settle();
    assert.equal(bench.titles.at(-1), 'etl #3');
  });

  it('is well where the job cannot be read for good', async () => {
    bench.failures = { job: new AppError('forbidden', 'no') };
    end('FAILED');
    await resume();
    bench.give({ text: '', isEnd: true });
    await settle();
    await advance(60_000);
    assert.deepEqual([bench.view.notice, bench.asked.filter((each) => each === 'job').length], [undefined, 1]);
  });

  it('is told where pieces that came before come no more, and is read otherwise only where none came', async () => {
    bench.give({ text: 'one\n', nextOffset: 4, size: 5 });
    bench.failures = { 'piece 4': new AppError('notFound', 'There is no run 7.') };
    await resume();
    assert.equal(bench.view.notice?.text, 'Local has no such run any more.');
    assert.equal(bench.asked.includes('output'), false);
    bench = new Bench();
    bench.failures = { 'piece 0': new AppError('notFound', 'No such path.') };
    bench.output = { logs: '' } as RunOutput;
    await resume();
    assert.equal(bench.view.output.note, 'read every few seconds');
    bench.session.pause();
    bench.failures = {};
    await resume();
    assert.equal(bench.view.output.note, 'read every few seconds');
    bench.give({ text: 'one\n', nextOffset: 4, size: 4, versions: 'Python 3.11' });
    await settle();
    assert.deepEqual([bench.view.output.note, bench.view.output.versions], ['as it comes', 'Python 3.11']);
    await advance(40);
    bench.give({ text: '', nextOffset: 4, size: 4 });
    await settle();
    assert.equal(bench.view.output.versions, 'Python 3.11');
    assert.deepEqual(bench.outputs.at(-1), ['one\n', true, false], 'nothing is said where nothing came');
  });

  it('takes the run as the output of another service tells it, or else as it was read', async () => {
    bench.profile = staging;
    bench.output = { logs: 'one\n' } as RunOutput;
    await resume();
    assert.deepEqual([bench.view.output.isGoing, bench.outputs], [true, [['one\n', true, false]]]);
    await advance(4000);
    assert.equal(bench.outputs.length, 1, 'nothing is new');
    bench.output = {
      logs: 'one\n',
      metadata: { ...bench.run, state: state('TERMINATED', 'SUCCESS') },
    } as RunOutput;
    await advance(4000);
    assert.deepEqual(bench.outputs.at(-1), ['', false, true]);
    bench.session.pause();
    bench = new Bench();
    bench.profile = staging;
    end();
    bench.output = { logs: 5, error_trace: 7 } as unknown as RunOutput;
    await resume();
    assert.deepEqual(bench.outputs, [['', true, true]]);
    assert.deepEqual(bench.view.output, { note: '', isGoing: false, end: 'End of output.' });
    assert.equal(bench.ended.length, 1);
  });

  it('appends no trace that stands in the output but for its blanks, and looks for no place of a good end', async () => {
    const trace = 'Traceback (most recent call last):\n  File "/a.py", line 3, in f\nValueError: no';
    for (const result of ['FAILED', 'SUCCESS']) {
      bench.session.pause();
      bench = new Bench();
      bench.profile = staging;
      end(result);
      bench.output = { logs: `one\n${trace}`, error_trace: `\n${trace}\n` } as unknown as RunOutput;
      await resume();
      assert.deepEqual(bench.outputs, [[`one\n${trace}`, true, true]]);
      assert.equal(bench.steps.length, result === 'FAILED' ? 1 : 0);
    }
  });
});
