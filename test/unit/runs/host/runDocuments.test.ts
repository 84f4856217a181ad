import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { RunDocuments } = await import('../../../../src/runs/host/runDocuments.ts');

describe('outputs of runs as texts of the editor', () => {
  let connections: FakeConnections;
  let documents: InstanceType<typeof RunDocuments>;
  let state: object;
  let changed: string[];
  const uri = standIn.Uri.parse('millrace-run://local/run-9.log?9');

  beforeEach(() => {
    editor.reset();
    state = { life_cycle_state: 'RUNNING' };
    connections = new FakeConnections({
      jobs: {
        getRunOutput: async (runId: string) => ({
          metadata: { run_id: runId, job_id: '5', run_type: 'JOB_RUN', state },
          logs: 'written',
        }),
      },
      localService: { runOutput: async () => ({}) },
    });
    documents = new RunDocuments(connections, new RunStore());
    changed = [];
    documents.onDidChange((one) => changed.push(one.toString()));
    standIn.workspace.textDocuments = [{ uri }, { uri: standIn.Uri.parse('file:///other') }];
  });
  afterEach(() => documents.dispose());
  const read = (of: unknown = uri): Promise<string> => documents.read(of as never);

  it("are opened as a preview, under the run's name, and read as the user's own wish once", async () => {
    await documents.show('Local', '9', 'etl/day #1');
    assert.equal(String(editor.opened[0]), 'millrace-run://local/etl_day #1.log?9');
    assert.deepEqual(editor.shownDocuments[0]?.[1], { preview: true });
    assert.deepEqual(changed, [String(editor.opened[0])]);
    await read(editor.opened[0]);
    await read(editor.opened[0]);
    assert.deepEqual(
      connections.calls.map(({ byUser }) => byUser),
      [true, false],
    );
  });

  it('are read again while the run goes on and the text is open, and not after its end', async function () {
    this.timeout(120_000);
    assert.match(await read(), /written/);
    await read();
    await pause(1200);
    assert.deepEqual(changed, []);
    await pause(700);
    assert.deepEqual(changed, [uri.toString()]);
    await read();
    state = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
    await read();
    await pause(1800);
    assert.equal(changed.length, 1);
  });

  describe('that grow', () => {
    const grow = (shownTo: number, scheme = 'millrace-run', text = 'a\nb\n'): unknown[] => {
      const document = { uri: standIn.Uri.parse(`${scheme}://local/run-9.log?9`), lineCount: 103 };
      const revealed: unknown[] = [];
      const view = (of: unknown) => ({
        document: of,
        visibleRanges: [new standIn.Range(0, 0, 5, 0), new standIn.Range(shownTo - 5, 0, shownTo, 0)],
        revealRange: (range: unknown) => revealed.push(range),
      });
      standIn.window.visibleTextEditors = [view(document), view({})];
      editor.events.changed.fire({
        document,
        contentChanges: [{ range: new standIn.Range(100, 0, 100, 0), text }],
      });
      return revealed;
    };

    it('stay at their end where the end was seen', () => {
      assert.deepEqual(grow(100), [new standIn.Range(102, 0, 102, 0)]);
      assert.equal(grow(99).length, 1);
    });

    it('stay where the reader has scrolled up, and other texts always', () => {
      assert.deepEqual(grow(98), []);
      assert.deepEqual(grow(100, 'file'), []);
    });
  });
});
