import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
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
});
