import assert from 'node:assert/strict';
import { startTestService, type TestService } from '../support/testService.ts';

export type Fields = Record<string, unknown>;

export const newCluster: Fields = { spark_version: '15.4.x-scala2.12', node_type_id: 'local', num_workers: 1 };
export const pythonFile: Fields = { spark_python_task: { python_file: '/a.py' } };
export const onExisting: Fields = { existing_cluster_id: 'c', ...pythonFile };
export const onNew = (more: Fields): Fields => ({ new_cluster: { ...newCluster, ...more }, ...pythonFile });
export const cloud = (more: Fields): Fields => onNew({ cloud_attributes: more });
export const ascii = /ASCII/;
export const many = (count: number, prefix = 'k'): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'v']));

/** One structure of the Jobs API 2.0: settings that it allows, to the edge of each limit, and settings that break one rule each. */
export interface Structure {
  allowed: Fields[];
  refused: [Fields, RegExp][];
}

/** A service for these tests, and what it is asked of each structure. To be called in a `describe`. */
export function structureTests(): {
  service(): TestService;
  comeBack(allowed: Structure['allowed']): Promise<void>;
  areRefused(refused: Structure['refused']): Promise<void>;
} {
  let test: TestService;
  before(async () => {
    test = await startTestService();
  });
  after(() => test.close());
  return {
    service: () => test,
    async comeBack(allowed) {
      for (const settings of allowed) {
        const created = await test.post('/api/2.0/jobs/create', { name: 'x', ...settings });
        assert.equal(created.status, 200, `${JSON.stringify(settings).slice(0, 300)}: ${created.text}`);
        const sent = JSON.parse(JSON.stringify({ name: 'x', ...settings })) as unknown;
        assert.deepEqual((await test.get(`/api/2.0/jobs/get?job_id=${created.json.job_id}`)).json.settings, sent);
        const { name: _, ...rest } = settings;
        assert.equal(
          (await test.post('/api/2.0/jobs/reset', { job_id: created.json.job_id, new_settings: rest })).text,
          '{}',
        );
      }
    },
    async areRefused(refused) {
      const jobId = await test.createJob();
      const before = (await test.get(`/api/2.0/jobs/get?job_id=${jobId}`)).text;
      const { jobs } = (await test.get('/api/2.0/jobs/list')).json;
      for (const [settings, message] of refused) {
        for (const [operation, body] of [
          ['create', settings],
          ['reset', { job_id: jobId, new_settings: settings }],
        ] as const) {
          const reply = await test.post(`/api/2.0/jobs/${operation}`, body);
          assert.deepEqual(
            [reply.status, reply.json.error_code],
            [400, 'INVALID_PARAMETER_VALUE'],
            `${operation} ${JSON.stringify(settings).slice(0, 300)}`,
          );
          assert.match(reply.json.message, message);
        }
        // An update replaces what it names, so the job's own task and cluster go first if the settings bring theirs.
        const removed = ['existing_cluster_id', 'spark_python_task'].filter((field) => !(field in settings));
        assert.equal(
          (
            await test.post('/api/2.0/jobs/update', {
              job_id: jobId,
              new_settings: settings,
              fields_to_remove: removed,
            })
          ).status,
          400,
          JSON.stringify(settings).slice(0, 300),
        );
      }
      assert.equal((await test.get(`/api/2.0/jobs/get?job_id=${jobId}`)).text, before);
      assert.equal((await test.get('/api/2.0/jobs/list')).json.jobs.length, jobs.length);
    },
  };
}
