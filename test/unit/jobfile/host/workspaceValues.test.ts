import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { settle } from '../../../support/fakeClock.ts';

const { WorkspaceValues } = await import('../../../../src/jobfile/host/workspaceValues.ts');
const log = { ...silentLogger } as never;

describe('values of the workspace for completion', () => {
  beforeEach(() => editor.reset());

  it('are asked for once in a while for each profile, and start nothing that was stopped', async () => {
    let lists = 0;
    const connections = new FakeConnections({
      jobs: {
        list: async () => (
          (lists += 1),
          [
            { job_id: '7', settings: { name: 'etl', existing_cluster_id: 'c1' } },
            { job_id: '8', settings: {} },
            { job_id: '9' },
          ]
        ),
      },
      clusters: {
        sparkVersions: async () => ({ versions: [{ key: '3.5', name: 'Spark' }] }),
        listNodeTypes: async () => ({ node_types: [{ node_type_id: 'n', description: 'big' }] }),
        listZones: async () => ({ zones: ['a', 'b'], default_zone: 'b' }),
      },
    });
    const values = new WorkspaceValues(connections, log);
    assert.deepEqual(await values.list('job'), [
      { value: '7', label: 'etl' },
      { value: '8', label: 'Untitled' },
      { value: '9', label: 'Untitled' },
    ]);
    await values.list('job');
    assert.deepEqual([lists, connections.calls.map(({ how }) => how)], [1, ['look']]);
    assert.deepEqual(await values.list('cluster'), [{ value: 'local' }, { value: 'c1' }]);
    connections.change(staging);
    assert.deepEqual(await values.list('cluster'), [{ value: 'c1' }]);
    assert.deepEqual(await values.list('sparkVersion'), [{ value: '3.5', detail: 'Spark' }]);
    assert.deepEqual(await values.list('nodeType'), [{ value: 'n', detail: 'big' }]);
    assert.deepEqual(await values.list('zone'), [
      { value: 'auto', detail: undefined },
      { value: 'a', detail: undefined },
      { value: 'b', detail: 'default' },
    ]);
    assert.ok(connections.calls.every(({ signal }) => signal?.aborted === false));
  });

  it('are what clusters of jobs are made of, too, where a service has no lists of its own', async () => {
    const cluster = { spark_version: '3.4', node_type_id: 'n', cloud_attributes: { zone_id: 'z' } };
    const connections = new FakeConnections({
      jobs: {
        list: async () => [
          { job_id: '1', settings: { new_cluster: cluster } },
          { job_id: '0' },
          { job_id: '2', settings: { new_cluster: { ...cluster, spark_version: '3.3' } } },
          { job_id: '3', settings: { new_cluster: {} } },
          { job_id: '4', settings: { new_cluster: { node_type_id: 'm' } } },
        ],
      },
      clusters: {
        sparkVersions: () => Promise.reject(new Error('404')),
        listNodeTypes: async () => ({ node_types: [{ node_type_id: 'n', description: 'big' }] }),
        listZones: async () => ({}),
      },
    });
    const values = new WorkspaceValues(connections, log);
    assert.deepEqual(await values.list('sparkVersion'), [
      { value: '3.3', detail: 'used by a job' },
      { value: '3.4', detail: 'used by a job' },
    ]);
    assert.deepEqual(await values.list('nodeType'), [
      { value: 'n', detail: 'big' },
      { value: 'm', detail: 'used by a job' },
    ]);
    assert.deepEqual(
      (await values.list('zone')).map(({ value }) => value),
      ['auto', 'z'],
    );
  });

  it('are the files of the first folder of this machine, notebooks first and without their ending', async () => {
    const values = new WorkspaceValues(new FakeConnections(), log);
    editor.files = new Set(['/work/b.py', '/work/n.ipynb', '/work/a.py']);
    assert.deepEqual(await new WorkspaceValues(new FakeConnections(), log).list('pythonFile'), []);
    standIn.workspace.workspaceFolders = [
      { uri: standIn.Uri.parse('other://x/y') },
      { uri: standIn.Uri.file('/work') },
    ];
    assert.deepEqual(await values.list('notebook'), [
      { value: '/n', detail: '.ipynb' },
      { value: '/a', detail: '.py' },
      { value: '/b', detail: '.py' },
    ]);
    assert.deepEqual(
      (await values.list('pythonFile')).map(({ value }) => value),
      ['/a.py', '/b.py'],
    );
    const remote = new FakeConnections();
    remote.change(staging);
    assert.deepEqual(await new WorkspaceValues(remote, log).list('pythonFile'), []);
  });

  it('are asked for anew after twenty seconds, and waited for three at most', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    try {
      let lists = 0;
      let answer: Promise<unknown[]> = Promise.resolve([]);
      const values = new WorkspaceValues(new FakeConnections({ jobs: { list: () => ((lists += 1), answer) } }), log);
      for (const [passed, expected] of [
        [0, 1],
        [20_000, 1],
        [1, 2],
      ] as const) {
        mock.timers.tick(passed);
        await values.list('job');
        assert.equal(lists, expected);
      }
      const late = Promise.withResolvers<unknown[]>();
      answer = late.promise;
      let told: unknown;
      mock.timers.tick(20_001);
      void values.list('job').then((found) => (told = found));
      await settle();
      mock.timers.tick(2999);
      await settle();
      assert.equal(told, undefined);
      mock.timers.tick(1);
      await settle();
      assert.deepEqual(told, []);
      late.resolve([{ job_id: '9', settings: { name: 'late' } }]);
      assert.deepEqual(await values.list('job'), [{ value: '9', label: 'late' }], 'it serves the next completion');
      assert.equal(lists, 3);
    } finally {
      mock.timers.reset();
    }
  });
});
