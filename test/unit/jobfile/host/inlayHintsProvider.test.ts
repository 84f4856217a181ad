import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { cancellation, editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { registerInlayHints } = await import('../../../../src/jobfile/host/inlayHintsProvider.ts');

const file = textFile('file:///work/a.job.yml', 'schedule: x\npython_file: /a.py\n');
const hour = 3_600_000;

describe('hints in the text', () => {
  let hints: { offset: number; label: string; validUntilMs?: number }[];
  let references: { end: number }[];
  let changes: number;
  let registered: { dispose(): void };
  let connections: FakeConnections;
  type Provider = {
    onDidChangeInlayHints(listener: () => void): unknown;
    provideInlayHints(file: unknown, range: unknown, token: unknown): Promise<Record<string, unknown>[]>;
  };
  const provider = (): Provider => editor.providers['hints'] as unknown as Provider;
  const shown = async (lines = 9, token = cancellation().token): Promise<unknown[]> =>
    (await provider().provideInlayHints(file, new standIn.Range(0, 0, lines, 0), token)).map(({ label }) => label);

  beforeEach(() => {
    editor.reset();
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 });
    hints = [];
    references = [];
    changes = 0;
    connections = new FakeConnections();
    const language = { inlayHints: () => hints, fileReferences: () => references };
    registered = registerInlayHints({ load: async () => language, parsed: () => 'tree' } as never, connections);
    provider().onDidChangeInlayHints(() => (changes += 1));
  });
  afterEach(() => {
    registered.dispose();
    mock.reset();
  });
  /** How often it was told after each of these times. */
  const toldAfter = (...times: number[]): number[] => {
    let nowMs = 0;
    return times.map((time) => (mock.timers.tick(time - nowMs), (nowMs = time), changes));
  };

  it('are asked for again when the first of them is over, once', async () => {
    hints = [5000, 3000, 4000].map((validUntilMs) => ({ offset: 3, label: String(validUntilMs), validUntilMs }));
    assert.deepEqual(await shown(), ['5000', '3000', '4000']);
    assert.deepEqual(toldAfter(2999, 3000, 10_000), [0, 1, 1]);
    hints = [{ offset: 3, label: 'later', validUntilMs: 14_000 }];
    await shown();
    mock.timers.tick(4000);
    assert.equal(changes, 2);
  });

  it('leave no timer behind', async () => {
    hints = [{ offset: 3, label: 'a', validUntilMs: 3000 }];
    await shown();
    const clear = mock.method(globalThis, 'clearTimeout');
    registered.dispose();
    const cleared = clear.mock.calls.map((call) => call.arguments[0] !== undefined);
    clear.mock.restore();
    assert.deepEqual(cleared, [true]);
  });

  it('keep the time that was set where they are asked for again', async () => {
    hints = [{ offset: 3, label: 'a', validUntilMs: 3000 }];
    await shown();
    mock.timers.tick(2000);
    await shown();
    hints = [{ offset: 3, label: 'a', validUntilMs: 9000 }];
    await shown();
    mock.timers.tick(1000);
    assert.equal(changes, 1);
  });

  it('are looked at each hour at the latest, and each second at most', async () => {
    hints = [{ offset: 3, label: 'far', validUntilMs: 5 * hour }];
    await shown();
    assert.deepEqual(toldAfter(hour - 1, hour), [0, 1]);
    hints = [{ offset: 3, label: 'over', validUntilMs: 1 }];
    await shown();
    mock.timers.tick(999);
    assert.equal(changes, 1);
    mock.timers.tick(1);
    assert.equal(changes, 2);
  });

  it('wait for nothing where none ends, is in sight, or is wanted any more', async () => {
    hints = [{ offset: 3, label: 'always' }];
    await shown();
    hints = [{ offset: 14, label: 'below', validUntilMs: 2000 }];
    assert.deepEqual(await shown(0), []);
    const stopped = cancellation();
    stopped.cancel();
    assert.deepEqual(await shown(9, stopped.token), []);
    mock.timers.tick(hour);
    assert.equal(changes, 0);
    await shown();
    registered.dispose();
    mock.timers.tick(hour);
    assert.equal(changes, 0);
  });

  it('are drawn with a space before them, those of the language first', async () => {
    hints = [{ offset: 3, label: 'words' }];
    references = [{ end: 29 }];
    const folder = (path: string) => ({ uri: standIn.Uri.file(path), name: path });
    standIn.workspace.workspaceFolders = [folder('/work'), folder('/other')];
    const found = await provider().provideInlayHints(file, new standIn.Range(0, 0, 9, 0), cancellation().token);
    assert.deepEqual(
      found.map((hint) => ({ ...hint })),
      [
        { position: new standIn.Position(0, 3), label: 'words', paddingLeft: true },
        { position: new standIn.Position(1, 17), label: '/ is the folder /work', paddingLeft: true },
      ],
    );
    connections.change(staging);
    assert.deepEqual(await shown(), ['words']);
    connections.change({ ...staging, kind: 'local' });
    standIn.workspace.workspaceFolders = [folder('/work')];
    assert.deepEqual(await shown(), ['words']);
  });

  it('change with the profile, the folders and their own setting', async () => {
    connections.change(staging);
    editor.events.folders.fire({});
    for (const changed of ['millrace.jobFile.inlayHints', 'millrace.jobFile.format'])
      editor.events.settings.fire({ affectsConfiguration: (name) => name === changed });
    assert.equal(changes, 3);
    editor.events.settings.fire({ affectsConfiguration: (name) => name === 'millrace.jobFile.inlayHints' });
    assert.equal(changes, 4);
    editor.events.settings.fire({ affectsConfiguration: (name) => name === 'millrace.jobFile.format' });
    assert.equal(changes, 4);
    hints = [{ offset: 3, label: 'words' }];
    assert.deepEqual(await shown(), ['words']);
    editor.settings['millrace.jobFile.inlayHints'] = false;
    assert.deepEqual(await shown(), []);
    registered.dispose();
    connections.change(staging);
    editor.events.folders.fire({});
    assert.deepEqual([changes, editor.providers], [4, {}]);
    assert.deepEqual([connections.isHeard, editor.events.settings.isHeard], [false, false]);
  });
});
