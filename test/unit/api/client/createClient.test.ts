import assert from 'node:assert/strict';
import type { Intent, IntentStore } from '../../../../src/api/client/intents.ts';
import { base, clientOf, rejectionOf } from './exchangeSetup.ts';

describe('the client of a workspace', () => {
  it('sends at once what would wait for a sick service, where that is asked for', async () => {
    const { client, requests } = clientOf(() => ({ status: 500 }));
    await rejectionOf(client.jobs.list());
    assert.match((await rejectionOf(client.jobs.list())).message, /was not sent: the service failed a moment ago/);
    assert.equal(requests.length, 1);
    client.retryNow();
    assert.equal((await rejectionOf(client.jobs.list())).status, 500);
    assert.equal(requests.length, 2);
  });

  it('gives all that the local service says of an output', async () => {
    const answer = {
      text: 't',
      next_offset: 1,
      size: 2,
      is_end: true,
      versions: 'Python 3',
      error: 'E',
      error_trace: 'at 1',
      notebook_output: { result: 'r', truncated: false },
    };
    const { client } = clientOf(() => ({ status: 200, body: JSON.stringify(answer) }));
    assert.deepEqual(await client.localService.runOutput({ runId: '1', offset: 0, wait: false }), {
      text: 't',
      nextOffset: 1,
      size: 2,
      isEnd: true,
      versions: 'Python 3',
      error: 'E',
      errorTrace: 'at 1',
      notebookOutput: { result: 'r', truncated: false },
    });
  });

  it('asks the local service for its lists from the beginning, and to debug what is submitted', async () => {
    const { client, requests } = clientOf(({ url }) => ({
      status: 200,
      body: url.includes('debug-submit') ? '{"run_id":9007199254740993}' : '{"jobs":"1","runs":"2","held":["3"]}',
    }));
    const task = { existing_cluster_id: 'c', spark_python_task: { python_file: '/a.py' } };
    assert.equal(await client.localService.debugSubmit(task), '9007199254740993');
    assert.deepEqual(JSON.parse(requests[0]?.body ?? ''), task);
    await client.localService.changes();
    assert.equal(requests[1]?.url, `${base}/api/millrace/changes`);
    const empty = clientOf(() => ({ status: 200, body: '{}' }));
    assert.deepEqual(await empty.client.localService.lastRuns(), { runs: [], nextAfterJobId: undefined });
    assert.equal(empty.requests[0]?.url, `${base}/api/millrace/last-runs`);
  });

  it('ends what it asks with the signal of its caller', async () => {
    const { client } = clientOf(() => 'hang');
    const stop = new AbortController();
    const options = { signal: stop.signal };
    const asked = [
      client.clusters.sparkVersions(options),
      client.clusters.listNodeTypes(options),
      client.clusters.listZones(options),
      client.localService.changes(undefined, options),
      client.localService.lastRuns(undefined, options),
      client.localService.debugSubmit(
        { existing_cluster_id: 'c', spark_python_task: { python_file: '/a.py' } },
        options,
      ),
      client.localService.runOutput({ runId: '1', offset: 0, wait: true }, options),
    ].map(rejectionOf);
    stop.abort();
    for (const { kind } of await Promise.all(asked)) assert.equal(kind, 'aborted');
  });

  it('asks for each list of clusters where it is', async () => {
    const { client, requests } = clientOf(() => ({ status: 200, body: '{"versions":[],"node_types":[],"zones":[]}' }));
    await client.clusters.sparkVersions();
    await client.clusters.listNodeTypes();
    await client.clusters.listZones();
    assert.deepEqual(
      requests.map(({ url }) => url.slice(`${base}/api/2.0/clusters/`.length)),
      ['spark-versions', 'list-node-types', 'list-zones'],
    );
  });

  it('goes on where the local service says that there is more, and says no more than it was told', async () => {
    const { client, requests } = clientOf(({ url }) => ({
      status: 200,
      body: url.includes('last-runs')
        ? '{"runs":[{"run_id":1,"job_id":2}],"next_after_job_id":2}'
        : '{"text":" t\\n","next_offset":5,"size":9,"is_end":false}',
    }));
    const { runs, nextAfterJobId } = await client.localService.lastRuns('1');
    assert.deepEqual([runs.length, nextAfterJobId], [1, '2']);
    assert.deepEqual(await client.localService.runOutput({ runId: '8', offset: 4, wait: true }), {
      text: ' t\n',
      nextOffset: 5,
      size: 9,
      isEnd: false,
    });
    await client.localService.runOutput({ runId: '8', offset: 4, wait: false });
    const asked = requests.map(({ url }) => new URL(url).searchParams.toString());
    assert.deepEqual(asked, ['after_job_id=1', 'run_id=8&offset=4&wait=true', 'run_id=8&offset=4']);
  });

  it('keeps what it is about to start under its profile, or its address where it has none, and finishes it', async () => {
    for (const profile of [undefined, 'p']) {
      const kept: Intent[] = [];
      const store: IntentStore = {
        save: (intent) => Promise.resolve(void kept.push(intent)),
        settle: () => Promise.resolve(),
        list: () => Promise.resolve([...kept]),
      };
      const { client, requests } = clientOf(() => ({ status: 200, body: '{"run_id":5}' }), { intents: store, profile });
      await client.jobs.runNow({ job_id: '1', idempotency_token: 't' });
      assert.equal(kept[0]?.profile, profile ?? base);
      const [finished] = await client.resumeIntents();
      assert.ok(finished);
      assert.deepEqual(requests[1]?.body, requests[0]?.body);
      const stopped = await client.resumeIntents({ signal: AbortSignal.abort() }).catch(() => []);
      assert.ok(stopped.every((each) => !('runId' in each) || each.runId === undefined));
      assert.equal(requests.length, 2);
    }
  });

  it('lists of clusters and of the local service are asked for where they are', async () => {
    const { client, requests } = clientOf(({ url }) => ({
      status: 200,
      body: url.includes('millrace/changes')
        ? '{"jobs":"1","runs":"2"}'
        : url.includes('run-output')
          ? '{"text":"more","next_offset":10,"size":30,"is_end":false}'
          : '{"runs":[{"run_id":5}],"next_after_job_id":9223372036854775807,"versions":[{"key":"k"}],"node_types":[{"node_type_id":"n"}],"zones":["z"]}',
    }));
    assert.deepEqual((await client.clusters.sparkVersions()).versions, [{ key: 'k' }]);
    assert.deepEqual((await client.clusters.listNodeTypes()).node_types, [{ node_type_id: 'n' }]);
    assert.deepEqual((await client.clusters.listZones()).zones, ['z']);
    assert.deepEqual(await client.localService.changes({ jobs: 'a', runs: 'b' }), { jobs: '1', runs: '2' });
    assert.deepEqual(await client.localService.lastRuns('7'), {
      runs: [{ run_id: '5' }],
      nextAfterJobId: '9223372036854775807',
    });
    const piece = { text: 'more', nextOffset: 10, size: 30, isEnd: false };
    for (const wait of [true, false])
      assert.deepEqual(await client.localService.runOutput({ runId: '8', offset: 6, wait }), piece);
    assert.deepEqual(
      requests.map(({ url }) => url.slice(base.length)),
      [
        '/api/2.0/clusters/spark-versions',
        '/api/2.0/clusters/list-node-types',
        '/api/2.0/clusters/list-zones',
        '/api/millrace/changes?jobs=a&runs=b',
        '/api/millrace/last-runs?after_job_id=7',
        '/api/millrace/run-output?run_id=8&offset=6&wait=true',
        '/api/millrace/run-output?run_id=8&offset=6',
      ],
    );
    const other = clientOf(() => ({ status: 200, body: '{"something":"else"}' })).client;
    for (const ask of [
      () => other.clusters.sparkVersions(),
      () => other.clusters.listNodeTypes(),
      () => other.clusters.listZones(),
      () => other.localService.changes(),
      () => other.localService.runOutput({ runId: '1', offset: 0, wait: false }),
    ])
      assert.equal((await rejectionOf(ask())).kind, 'protocol');
  });
});
