import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/shared/event.ts';
import { editor, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { registerLenses } = await import('../../../../src/jobfile/host/lenses.ts');

type Lens = { range: unknown; command: { title: string; command: string; arguments: unknown[] } };
type Lenses = { provideCodeLenses(of: unknown): Lens[]; onDidChangeCodeLenses(listener: () => void): unknown };

const file = textFile('file:///work/a.job.yml', '# c\nname: a\n');
const drawn = (of = file): unknown[] =>
  (editor.providers['lenses'] as unknown as Lenses)
    .provideCodeLenses(of)
    .map(({ command }) => [command.title, command.command, ...command.arguments]);
const own = [
  ['$(cloud-upload) Deploy', 'millrace.jobFile.deploy', file.uri],
  ['$(play) Run Now', 'millrace.job.runNow', file.uri],
  ['Run with Parameters…', 'millrace.job.runNowWithParameters', file.uri],
  ['Run Once', 'millrace.jobFile.submit', file.uri],
  ['$(debug-alt) Debug', 'millrace.job.debug', file.uri],
  ['$(diff) Compare with Deployed', 'millrace.jobFile.compare', file.uri],
];
let chosen: Emitter<void>;
const on = (current: { kind: 'local' | 'remote'; readOnly: boolean }) => ({
  current,
  onDidChange: (listener: (event: unknown) => void) => chosen.event(listener),
});
const local = on({ kind: 'local', readOnly: false });

describe('what stands above the settings of a job file', () => {
  beforeEach(() => {
    editor.reset();
    chosen = new Emitter();
  });

  it('is what can be done with it where nothing is known of its deploys', () => {
    const lenses = registerLenses(undefined, undefined, local);
    assert.equal(editor.selectors['lenses'], 'millrace-job');
    assert.deepEqual(drawn(), own);
    lenses.dispose();
    assert.equal(editor.providers['lenses'], undefined);
  });

  it('offers nothing that the profile refuses', () => {
    registerLenses(undefined, undefined, on({ kind: 'remote', readOnly: true }));
    assert.deepEqual(drawn(), own.slice(-1));
    registerLenses(undefined, undefined, on({ kind: 'remote', readOnly: false }));
    assert.deepEqual(drawn(), [...own.slice(0, 4), own.at(-1)]);
  });

  it('is the last run and what others changed, of that file, as long as there is such a thing', () => {
    const deployed = new Emitter<void>();
    const moved = new Emitter<void>();
    let state: object | undefined = { profileId: 'team', jobId: '7', lastRun: { runId: '5', text: 'Failed' } };
    let drifted: object | undefined = { profileName: 'Team' };
    const asked: string[] = [];
    const lenses = registerLenses(
      { stateOf: (uri: string) => (asked.push(uri), state), onDidChange: deployed.event } as never,
      {
        of: (uri: unknown) => (asked.push(String(uri)), drifted),
        ageOf: (uri: unknown, of: unknown) => `${String(uri)} ${String(of === drifted)}`,
        onDidChangeFileDecorations: moved.event,
      } as never,
      local,
    );
    let changes = 0;
    (editor.providers['lenses'] as unknown as Lenses).onDidChangeCodeLenses(() => (changes += 1));
    assert.deepEqual(drawn(), [
      ...own,
      [`$(warning) Changed on Team, seen ${String(file.uri)} true`, 'millrace.jobFile.compare', file.uri],
      ['$(cloud-download) Pull into File', 'millrace.job.pull', file.uri],
      ['Last run: Failed', 'millrace.openRun', { profileId: 'team', jobId: '7', runId: '5' }],
    ]);
    assert.deepEqual(asked, [String(file.uri), String(file.uri)]);
    state = { profileId: 'team', jobId: '7' };
    drifted = undefined;
    assert.deepEqual(drawn(), own);
    deployed.fire();
    moved.fire();
    assert.equal(changes, 2);
    chosen.fire();
    assert.equal(changes, 3, 'another profile may offer something else');
    lenses.dispose();
    assert.deepEqual(
      [deployed, moved, chosen].map(({ hasListeners }) => hasListeners),
      [false, false, false],
    );
  });

});
