import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { beginningAndEnd } from '../../../src/commands/askChat.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { holdTrail } from '../../support/trail.ts';
import { holdApproved } from './approvedCommands.ts';
import { Bench } from './commandSetup.ts';

describe('ask the chat', () => {
  holdTrail(import.meta.url);
  holdApproved('askChat');

  const failed: Run = {
    run_id: '9',
    job_id: '5',
    run_name: 'nightly',
    run_type: 'JOB_RUN',
    state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: 'Exit code 1.' },
  };

  it('hands over state, error, output and job file of a failed run, and sends nothing', async () => {
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

  it('puts the same into the conversation on screen where no question is asked', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nightly' });
    bench.runs = [failed];
    bench.output = { logs: 'line 1' };
    await handlers['millrace.run.attachToChat'](bench.services, { runId: '9' });
    const [given] = bench.questions;
    assert.deepEqual([given?.prompt, given?.attachments.length], ['', 2]);
    assert.match(given?.attachments[0]?.text ?? '', /line 1/);
  });

  it('puts the settings of a job there as a job file, of one that is chosen too', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nightly', max_retries: 2 });
    bench.picks = ['nightly'];
    for (const target of [{ jobId: '5' }, {}]) await handlers['millrace.job.attachToChat'](bench.services, target);
    const attachment = { label: 'nightly: job file', language: 'yaml', text: 'name: nightly\nmax_retries: 2\n' };
    assert.deepEqual(
      bench.questions.map(({ attachments }) => attachments),
      [[attachment], [attachment]],
    );
  });

  it('puts the failing line there with its error, its file and the lines around', async () => {
    const bench = new Bench();
    bench.runs = [{ ...failed, task: { spark_python_task: { python_file: '/jobs/etl.py' } } } as Run];
    bench.texts.set('file:///w/jobs/etl.py', Array.from({ length: 30 }, (_, line) => `line ${line + 1}`).join('\n'));
    bench.output = {
      error: 'ZeroDivisionError: division by zero',
      error_trace:
        'Traceback (most recent call last):\n  File "/jobs/etl.py", line 15, in <module>\n    1 / 0\n' +
        'ZeroDivisionError: division by zero',
    };
    await handlers['millrace.run.attachLine'](bench.services, { runId: '9' });
    const [attachment] = bench.questions[0]?.attachments ?? [];
    assert.match(attachment?.label ?? '', /etl\.py:15$/);
    assert.match(
      attachment?.text ?? '',
      /^ZeroDivisionError: division by zero\njobs\/etl\.py:15\n\n5: line 5\n(.*\n)*15: line 15\n(.*\n)*25: line 25$/,
    );
    bench.output = { error: 'Exit code 1.' };
    await assert.rejects(async () => handlers['millrace.run.attachLine'](bench.services, { runId: '9' }), {
      kind: 'notFound',
      remedy: 'Attach the run with its output instead.',
    });
  });

  it('keeps the beginning and the end of a long output', async () => {
    const bench = new Bench();
    bench.runs = [failed];
    bench.output = { logs: `first ${'x'.repeat(1_000_000)}`, error: 'the last word' };
    await handlers['millrace.run.askChat'](bench.services, { runId: '9' });
    const text = bench.questions[0]?.attachments[0]?.text ?? '';
    assert.ok(text.length < 20_200 && text.includes('first x') && text.includes('the last word'));
    assert.match(text, /… \d+ characters are left out here …/);
  });

  it('leaves out what is more than 20 000 characters, after the first 5000', () => {
    const text = `${'a'.repeat(5000)}${'b'.repeat(15_000)}`;
    assert.equal(beginningAndEnd(text), text);
    assert.equal(
      beginningAndEnd(`${'a'.repeat(5000)}c${'b'.repeat(15_000)}`),
      `${'a'.repeat(5000)}\n\n… 1 characters are left out here …\n\n${'b'.repeat(15_000)}`,
    );
  });

  it('tells the state that came with the output, which is newer', async () => {
    const bench = new Bench();
    const going = { ...failed, state: { life_cycle_state: 'RUNNING' } };
    bench.store.mergeRuns([going], 1);
    bench.runs = [failed];
    await handlers['millrace.run.askChat'](bench.services, { runId: '9', profileId: 'local' });
    bench.output = undefined;
    await handlers['millrace.run.askChat'](bench.services, { runId: '9', profileId: 'local' });
    assert.deepEqual(
      bench.questions.map(({ prompt }) => prompt),
      ['Why did this run fail, and what can I do about it?', 'What is this run doing?'],
    );
  });

  it('reads no job of a run without one, and fails where the job cannot be read', async () => {
    const bench = new Bench();
    bench.runs = [{ ...failed, job_id: undefined }];
    const connection = await bench.services.connections.connect();
    const asked: string[] = [];
    Object.assign(connection.client.jobs, {
      get: async (id: string) => {
        asked.push(id);
        throw new AppError('server', 'Busy.');
      },
    });
    bench.services.connections.connect = async () => connection;
    await handlers['millrace.run.askChat'](bench.services, { runId: '9' });
    assert.deepEqual([asked, bench.questions.length], [[], 1]);
    bench.runs = [failed];
    await assert.rejects(async () => handlers['millrace.run.askChat'](bench.services, { runId: '9' }), /Busy/);
    assert.deepEqual([asked, bench.questions.length], [['5'], 1]);
  });

  it('reads a result as the tree does: in the words of every server, and an unknown one as no failure', async () => {
    for (const [result, asked] of [
      ['SUCCESSFUL', 'What did this run do?'],
      ['MOSTLY_FINE', 'What did this run do?'],
      ['TIMED_OUT', 'Why did this run fail, and what can I do about it?'],
    ] as const) {
      const bench = new Bench();
      bench.runs = [{ ...failed, state: { life_cycle_state: 'TERMINATED', result_state: result } }];
      await handlers['millrace.run.askChat'](bench.services, { runId: '9' });
      assert.equal(bench.questions[0]?.prompt, asked);
    }
  });

  it('asks also where the job is gone and the output is not kept', async () => {
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

describe('ask the chat about a run that cannot be read', () => {
  holdTrail(import.meta.url, '-2');
  it('asks nothing, and says why', async () => {
    const bench = new Bench();
    bench.runs = [{ run_id: '9', state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' } }];
    bench.outputFailure = new AppError('network', 'Nothing answers.');
    await assert.rejects(async () => handlers['millrace.run.askChat'](bench.services, { runId: '9' }), {
      message: 'Nothing answers.',
    });
    assert.deepEqual(bench.questions, []);
  });
});
