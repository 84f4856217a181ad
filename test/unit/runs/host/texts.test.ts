import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { localProfile } from '../../../../src/connection/connection.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor, standIn, shownTexts } from '../../../support/editorStandIn/editorStandIn.ts';

const { RunDocuments } = await import('../../../../src/runs/host/runDocuments.ts');
const { registerRunFiles } = await import('../../../../src/runs/host/runFiles.ts');
const { RunLinks } = await import('../../../../src/runs/host/registerRuns.ts');

describe('run documents', () => {
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

  it("open as a preview with the run's name, and connect on the user's behalf once", async () => {
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

  it('are read again while the run is active and the document is open', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      assert.match(await read(), /written/);
      await read();
      mock.timers.tick(1400);
      assert.deepEqual(changed, []);
      mock.timers.tick(100);
      assert.deepEqual(changed, [uri.toString()]);
      await read();
      state = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
      await read();
      mock.timers.tick(1500);
      assert.equal(changed.length, 1);
    } finally {
      mock.timers.reset();
    }
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

    it('scroll with their end', () => {
      assert.deepEqual(grow(100), [new standIn.Range(102, 0, 102, 0)]);
      assert.equal(grow(99).length, 1);
    });

    it('do not scroll if the reader has scrolled up', () => {
      assert.deepEqual(grow(98), []);
      assert.deepEqual(grow(100, 'file'), []);
    });
  });
});

describe('run files', () => {
  const uri = standIn.Uri.parse('millrace-run://local/etl #1.log?9');
  let loads: number;
  let failure: Error | undefined;
  let told: unknown[];
  let texts: InstanceType<typeof standIn.EventEmitter>;
  let registration: { dispose(): void };

  beforeEach(() => {
    editor.reset();
    [loads, failure, told, texts] = [0, undefined, [], new standIn.EventEmitter()];
    registration = registerRunFiles(async () => {
      loads += 1;
      if (failure) throw failure;
      return { read: async (of) => `of ${String(of)}`, onDidChange: texts.event as never };
    });
    const { onDidChangeFile } = editor.providers['millrace-run'] as unknown as {
      onDidChangeFile(listener: (event: unknown) => void): void;
    };
    onDidChangeFile((event) => told.push(event));
  });
  const call = (name: string): unknown =>
    (editor.providers['millrace-run'] as Record<string, (...args: unknown[]) => unknown>)[name]?.(uri);
  const read = async (): Promise<string> =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode((await call('readFile')) as Uint8Array);

  it('are read-only and encoded in UTF-8', async () => {
    assert.deepEqual([editor.selectors['millrace-run'], loads], [{ isReadonly: true }, 0]);
    assert.equal(await read(), `\uFEFFof ${String(uri)}`);
    await read();
    assert.equal(loads, 1);
    for (const change of ['writeFile', 'delete', 'rename', 'createDirectory'])
      assert.throws(() => call(change), /NoPermissions/);
    assert.deepEqual(call('readDirectory'), []);
    registration.dispose();
    assert.equal(editor.providers['millrace-run'], undefined);
  });
});

describe('a link from outside', () => {
  beforeEach(() => editor.reset());

  const open = async (query: string, path = '/run'): Promise<void> =>
    new RunLinks({ current: localProfile, profiles: [localProfile, staging] }).handleUri({ path, query } as never);

  it('opens the run after confirmation and switches the profile if necessary', async () => {
    editor.answer = ({ actions }) => actions[0];
    await open('profile=local&run_id=5');
    const target = { profileId: 'local', runId: '5' };
    assert.deepEqual(editor.executed, [['millrace.openRun', target]]);
    assert.deepEqual(shownTexts(), ['information: Open run 5 of "Local"? [Open]']);
    assert.deepEqual(
      [editor.shown[0]?.options?.modal, /changes to/.test(editor.shown[0]?.options?.detail ?? '')],
      [true, false],
    );
    await open('profile=staging&run_id=6');
    assert.match(editor.shown[1]?.options?.detail ?? '', /switches to the profile/);
    assert.deepEqual(editor.executed.slice(1), [
      ['millrace.profile.choose', 'staging'],
      ['millrace.openRun', { profileId: 'staging', runId: '6' }],
    ]);
  });

  it('has no effect without confirmation', async () => {
    await open('profile=staging&run_id=6');
    assert.equal(editor.shown.length, 1);
    assert.deepEqual(editor.executed, []);
  });

  it('shows what is wrong with it, without making links of its text', async () => {
    editor.answer = ({ actions }) => actions[0];
    await open('profile=gone](command:x)&run_id=5');
    await open('profile=local');
    await open('profile=local&run_id=5', '/delete');
    assert.match(shownTexts()[0] ?? '', /profile "gone] \(command:x\)", which does not exist/);
    assert.match(shownTexts()[1] ?? '', /names no run/);
    assert.equal(shownTexts().length, 3);
    assert.deepEqual(editor.executed, []);
  });
});
