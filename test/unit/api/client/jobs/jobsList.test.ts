import assert from 'node:assert/strict';
import * as z from 'zod';
import { createClient } from '../../../../../src/api/client/index.ts';
import { readJobsList } from '../../../../../src/api/client/jobs/jobsList.ts';
import { listJobsResponse } from '../../../../../src/api/schema/jobs/schemas.ts';
import { AppError } from '../../../../../src/shared/errors.ts';
import { parseJson } from '../../../../../src/shared/json.ts';
import { jobsListText } from '../../../../support/samples.ts';
import { scriptedFetch } from '../../../../support/scriptedFetch.ts';

function bySchema(text: string): unknown {
  return z.decode(listJobsResponse, parseJson(text) as never).jobs ?? [];
}

async function read(text: string): Promise<unknown> {
  return (await readJobsList(text))?.value.jobs;
}

/** The longest that one turn of the event loop takes, in CPU time, since a busy machine stops the process for longer than it works. */
async function longestStretchOf(text: string): Promise<number> {
  let longest = 0;
  let last = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.threadCpuUsage();
  };
  const timer = setInterval(look, 1);
  const jobs = await readJobsList(text);
  clearInterval(timer);
  // Where it never gives the process a turn, no timer has looked.
  look();
  assert.equal(jobs?.value.jobs.length, 12_000);
  return longest;
}

describe('readJobsList', () => {
  const long = jobsListText(1500, true);

  it('reads a long list as the schema does', async () => {
    for (const text of [
      long,
      JSON.stringify(JSON.parse(jobsListText(1500, false)), undefined, 2),
      long.replace('{"jobs"', '{"other":1,"jobs"'),
      long.replace(/\}$/, ',"next":{"a":[1]}}'),
    ]) {
      assert.ok(text.length > 1_000_000);
      assert.deepEqual(await read(text), bySchema(text));
    }
  });

  it('is not misled by what looks like the border of a job', async () => {
    const tricky = long.replaceAll(
      '"timeout_seconds":3600',
      '"note":"},{\\"job_id\\":","tasks":[{"job_id":1},{"job_id":2}],"timeout_seconds":3600',
    );
    assert.deepEqual(await read(tricky), bySchema(tricky));
  });

  it('reads short lists and odd jobs as the schema does', async () => {
    for (const text of [
      '{"jobs":[]}',
      '{"jobs":[{"job_id":"5"},{"job_id":9223372036854775807,"creator_user_name":null,"created_time":"12",' +
        '"settings":{"name":null,"run_job_task":{"job_id":9007199254740993}}},{"job_id":1,"settings":5,' +
        '"__proto__":{"a":1}}]}',
    ]) {
      assert.deepEqual(await read(text), bySchema(text));
    }
  });

  it('never holds up the process for 50 ms', async () => {
    const compact = jobsListText(12_000, true);
    for (const text of [compact, compact.replaceAll('},{"job_id"', '} ,\r\n  {"job_id"')]) {
      await readJobsList(text);
      // The quickest of a few: the first meet code that is not compiled yet, and a memory that grows.
      let quickest = Infinity;
      for (let round = 0; round < 4 && quickest >= 50; round++)
        quickest = Math.min(quickest, await longestStretchOf(text));
      assert.ok(quickest < 50, `longest stretch ${quickest} ms of CPU time`);
    }
  });

  it('reads each job as the schema does, whatever is odd about it', async () => {
    const odd = [
      '{"job_id":1,"__proto__":{"a":1}}',
      '{"job_id":1,"settings":{"name":null}}',
      '{"job_id":1,"settings":{"__proto__":{"a":1}}}',
      '{"job_id":9223372036854775807}',
      '{"job_id":-9223372036854775808}',
      '{"job_id":1,"run_as":5}',
      '{"job_id":1,"created_time":"soon"}',
      '{"job_id":1,"settings":[]}',
      '{"job_id":1,"settings":{"notebook_task":{"revision_timestamp":9007199254740993}}}',
      '{"job_id":1,"creator_user_name":null}',
    ];
    for (const job of odd) assert.deepEqual(await read(`{"jobs":[${job}]}`), bySchema(`{"jobs":[${job}]}`), job);
    for (const id of ['9223372036854775808', '-9223372036854775809', '1.5', '1e300', '"x"', 'null', 'true', '[1]']) {
      const answer = await readJobsList(`{"jobs":[{"job_id":${id}},{"job_id":1}]}`);
      assert.deepEqual([answer?.value.jobs.map(({ job_id: jobId }) => jobId), answer?.skipped?.count], [['1'], 1], id);
    }
  });

  it('leaves what holds no list to the schema', async () => {
    for (const text of [
      '{}',
      '{"jobs":null}',
      '[]',
      'null',
      '5',
      '{"error_code":"X"}',
      '{"jobs":{}}',
      '{"jobs":[{"name":"no id"}]}',
    ])
      assert.equal(await readJobsList(text), undefined, text);
  });

  it('leaves out entries that it cannot read, and tells of them, in short and long lists', async () => {
    for (const count of [3, 1500]) {
      const text = jobsListText(count, true).replace(/\}$/, '').replace(/\]$/, ',{"name":"no id"},7]}');
      const answer = await readJobsList(text);
      assert.equal(answer?.value.jobs.length, count);
      assert.deepEqual(
        { ...answer?.skipped, first: answer?.skipped?.first.path },
        { count: 2, total: count + 2, first: ['jobs', count, 'job_id'] },
      );
    }
  });

  it('says what is wrong with a list that is none', async () => {
    for (const [body, kind] of [
      ['{"jobs":{"job_id":1}}', 'protocol'],
      ['{"jobs":[{"name":"no id"}]}', 'protocol'],
      [long.slice(0, -20), 'cutOff'],
    ] as const) {
      const { fetch } = scriptedFetch(() => ({ status: 200, body }));
      const client = createClient({ baseUrl: 'https://service.example', auth: { kind: 'none' }, fetch, retry: 'fail' });
      await assert.rejects(
        client.jobs.list(),
        (error) => error instanceof AppError && error.kind === kind && /The jobs were not read\./.test(error.message),
      );
    }
  });
});
