import assert from 'node:assert/strict';
import * as z from 'zod';
import { asJob } from '../../../../../src/api/client/jobs/asJob.ts';
import { job } from '../../../../../src/api/schema/jobs/run.ts';

const plain = { job_id: 7, creator_user_name: 'a', run_as: 'b', created_time: 5, settings: { name: 'n' } };
const int64 = 9_223_372_036_854_775_807n;

/** What a service may write at each place of a job. */
const values: Record<string, readonly unknown[]> = {
  job_id: [0, -7, 1.5, 2 ** 60, 9_007_199_254_740_993n, int64, int64 + 1n, '7', null, undefined, true],
  creator_user_name: [undefined, '', 5, null, {}],
  run_as: [undefined, '', 5, null],
  created_time: [undefined, 0, 1.5, -1, 2 ** 53, 2n ** 53n, '5', null, true],
  settings: [undefined, null, [], 'x', 5, {}, { name: null }, { max_retries: 'x' }, JSON.parse('{"__proto__":{}}')],
  more: [1, null],
};
const settings = [
  { run_job_task: { job_id: 9_007_199_254_740_993n } },
  { run_job_task: { job_id: 5 } },
  { run_job_task: { job_id: '5' } },
  { run_job_task: null },
  { notebook_task: { notebook_path: '/a', revision_timestamp: 5 } },
  { notebook_task: { notebook_path: '/a', revision_timestamp: 2n ** 60n } },
  { notebook_task: { notebook_path: '/a', base_parameters: [{ key: 'a', value: 'b' }] } },
  { notebook_task: { notebook_path: '/a', base_parameters: { a: 'b' } } },
];

describe('a job of a list', () => {
  it('is read as the document has it, whatever a service writes at any place', () => {
    const rows: object[] = [
      plain,
      JSON.parse('{"job_id":1,"__proto__":{"a":1}}') as object,
      ...Object.entries(values).flatMap(([name, all]) => all.map((value) => ({ ...plain, [name]: value }))),
      ...settings.map((each) => ({ ...plain, settings: each })),
    ];
    for (const row of rows) {
      const expected = z.safeDecode(job, structuredClone(row) as z.input<typeof job>);
      assert.deepEqual(asJob(structuredClone(row)), expected.success ? expected.data : undefined);
    }
    assert.equal(asJob(structuredClone(plain))?.job_id, '7');
  });

  it('is none where it is no object', () => {
    for (const value of [undefined, null, [], [plain], 'x', 7]) assert.equal(asJob(value), undefined);
  });
});
