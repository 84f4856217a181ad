import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import type { HttpCall } from '../../../../src/service/http/handler.ts';
import { JsonPieces, RawJson } from '../../../../src/service/http/reply.ts';
import { runHandlers, type RunHandlerOptions } from '../../../../src/service/http/runHandlers.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';
import { runRecord } from '../support/runRecord.ts';

describe('what is asked of runs', () => {
  let folder: string;
  let runs: Map<string, Partial<RunRecord>>;
  let outcome: object | undefined;
  let ofOneTimeJob: string[];
  let asked: unknown[][];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-runs-'));
    mkdirSync(join(folder, 'runs', '4'), { recursive: true });
    runs = new Map([['4', runRecord({ runId: '4' })]]);
    outcome = undefined;
    ofOneTimeJob = [];
    asked = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the tests look into it freely
  const ask = async (path: string, query: Record<string, string>): Promise<any> => {
    const routes = runHandlers({
      store: {
        runs: {
          get: (runId: string) => runs.get(runId),
          list: (...given: unknown[]) => {
            asked.push(given);
            if (given[2] === 1) return ofOneTimeJob;
            return ['6', '5', '4'];
          },
        },
        runParts: { outcome: () => outcome },
      },
      engine: {
        get: (runId: string) => runs.get(runId),
        cancelAll: (jobId: string) => void asked.push([jobId]),
        cancel: (runId: string) => void asked.push(['cancel', runId]),
        delete: (runId: string) => void asked.push(['delete', runId]),
      },
      catalog: {
        get: (jobId: string) => {
          if (jobId === '3') return { jobId };
          throw new ApiError(400, 'RESOURCE_DOES_NOT_EXIST', 'No such job.');
        },
      },
      pageUrl: (runId: string) => `page of ${runId}`,
      dataFolder: folder,
    } as unknown as RunHandlerOptions);
    const route = routes.find((each) => each.path.endsWith(path));
    const answer = await route!.handle({
      path: {},
      query: new URLSearchParams(query),
      text: '',
      signal: new AbortController().signal,
    } as unknown as HttpCall);
    const text =
      answer instanceof JsonPieces ? [...answer.pieces].join('') : answer instanceof RawJson ? answer.text : answer;
    return typeof text === 'string' ? JSON.parse(text) : text;
  };

  it('lists the twenty latest where no number is named, 999 for 0, and tells whether there are more', async () => {
    for (const [query, limit, offset] of [
      [{}, 21, 0],
      [{ limit: '0' }, 1000, 0],
      [{ limit: '2', offset: '3' }, 3, 3],
    ] as const) {
      await ask('runs/list', query);
      assert.deepEqual(asked.at(-1)?.slice(1), [offset, limit]);
    }
    for (const runId of ['5', '6']) runs.set(runId, runRecord({ runId }));
    const listed = await ask('runs/list', { limit: '2' });
    assert.deepEqual(
      [listed.runs.map((run: { run_id: number }) => run.run_id), listed.has_more, listed.runs[0].run_page_url],
      [[6, 5], true, 'page of 6'],
    );
    assert.equal((await ask('runs/list', { limit: '3' })).has_more, false);
  });

  it('lists those of a state, of a type, or all', async () => {
    for (const [query, filter] of [
      [{}, { active: undefined, runType: undefined }],
      [{ active_only: 'true' }, { active: true, runType: undefined }],
      [{ completed_only: 'true' }, { active: false, runType: undefined }],
      [
        { active_only: 'false', completed_only: 'false' },
        { active: undefined, runType: undefined },
      ],
      [{ run_type: 'SUBMIT_RUN' }, { active: undefined, runType: 'SUBMIT_RUN' }],
    ] as const) {
      await ask('runs/list', query);
      assert.deepEqual(asked.at(-1)?.[0], filter);
    }
  });

  it('lists those of a job, or of the one that a one-time run has for itself', async () => {
    const states = { active: undefined, runType: undefined };
    await ask('runs/list', { job_id: '3' });
    assert.deepEqual(asked, [
      [{ oneTimeJobId: '3' }, 0, 1],
      [{ jobId: '3', ...states }, 0, 21],
    ]);
    [asked, ofOneTimeJob] = [[], ['4']];
    await ask('runs/list', { job_id: '70' });
    assert.deepEqual(asked, [
      [{ oneTimeJobId: '70' }, 0, 1],
      [{ oneTimeJobId: '70', ...states }, 0, 21],
    ]);
    ofOneTimeJob = [];
    await assert.rejects(ask('runs/list', { job_id: '71' }), /No such job/);
  });

  it('is of one run that is there, by its id', async () => {
    assert.equal((await ask('runs/get', { run_id: '4' })).run_page_url, 'page of 4');
    for (const path of ['runs/get', 'runs/get-output', 'runs/export'])
      await assert.rejects(ask(path, { run_id: '5' }), /Run 5 does not exist/, path);
    assert.deepEqual(await ask('runs/cancel', { run_id: '4' }), {});
    assert.deepEqual(await ask('runs/delete', { run_id: '4' }), {});
    assert.deepEqual(await ask('runs/cancel-all', { job_id: '3' }), {});
    assert.deepEqual(asked, [['cancel', '4'], ['delete', '4'], ['3']]);
  });

  it('leaves out a run that is deleted while it is listed', async () => {
    assert.deepEqual(
      (await ask('runs/list', {})).runs.map((run: { run_id: number }) => run.run_id),
      [4],
    );
    runs.clear();
    assert.deepEqual(await ask('runs/list', {}), { runs: [], has_more: false });
  });

  it('tells what a run printed from when it runs on, also where that is nothing', async () => {
    assert.deepEqual(Object.keys(await ask('runs/get-output', { run_id: '4' })), ['metadata']);
    runs.set('4', runRecord({ runId: '4', runningAt: 5 }));
    const { logs, logs_truncated: truncated } = await ask('runs/get-output', { run_id: '4' });
    assert.deepEqual([logs, truncated], ['', false]);
    writeFileSync(join(folder, 'runs', '4', 'output.log'), 'printed');
    runs.set('4', runRecord({ runId: '4' }));
    assert.equal((await ask('runs/get-output', { run_id: '4' })).logs, 'printed', 'before it runs: of its set-up');
    outcome = { notebookResult: { result: 'r', truncated: true } };
    assert.equal(
      (await ask('runs/get-output', { run_id: '4' })).notebook_output,
      undefined,
      'of a run of another kind',
    );
    runs.set('4', runRecord({ runId: '4', detail: '"task":{"notebook_task":{}}' }));
    const answer = await ask('runs/get-output', { run_id: '4' });
    assert.deepEqual(answer.notebook_output, { result: 'r', truncated: true });
    assert.equal(answer.metadata.run_id, 4);
  });

  it('says that an output cannot be read, and where to look', async () => {
    mkdirSync(join(folder, 'runs', '4', 'output.log'));
    await assert.rejects(ask('runs/get-output', { run_id: '4' }), (error) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.status, error.errorCode], [500, 'STORAGE_FAILED']);
      assert.match(error.message, /^The output of run 4 cannot be read: EISDIR.* Look into its folder/);
      return true;
    });
  });

  it('cancels nothing of a job that is not there', async () => {
    await assert.rejects(ask('runs/cancel-all', { job_id: '9' }), /No such job/);
    assert.deepEqual(asked, []);
  });
});
