import assert from 'node:assert/strict';
import type { DeploymentState, DeploymentStates } from '../../../../src/jobfile/host/deploymentStates.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { Drift } = await import('../../../../src/jobfile/host/drift.ts');
const { registerLenses } = await import('../../../../src/jobfile/host/lenses.ts');

const uri = standIn.Uri.file('/work/a.job.yml');
const name = uri.toString();

describe('what others changed in the job of a file', () => {
  let states: Map<string, DeploymentState>;
  let deployed: Emitter<void>;
  let listed: Emitter<void>;
  let plans: unknown[][];
  /** What a comparison finds, and when. */
  let moved: Promise<readonly string[]>;
  let drift: InstanceType<typeof Drift>;
  let make: () => typeof drift;
  let told: string[];

  const stateOf = (more: Partial<NonNullable<DeploymentState['remote']>> = {}, jobId = '1'): DeploymentState => ({
    profileId: 'team',
    jobId,
    remote: {
      profileName: 'Team',
      settings: { name: 'a' },
      deploy: 1,
      last: () => ({ settings: { name: 'before' } }) as never,
      ...more,
    },
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const tooltip = async (): Promise<unknown> => (await drift.provideFileDecoration(uri as never))?.tooltip;

  beforeEach(() => {
    editor.reset();
    states = new Map();
    deployed = new Emitter();
    listed = new Emitter();
    plans = [];
    told = [];
    moved = Promise.resolve(['name']);
    const language = {
      planDeploy: (...args: unknown[]) => (plans.push(args), { moved: ['name'] }),
      movesInWords: (changes: readonly string[], max: number) => `${changes.join()} of ${max}`,
    };
    const loader = {
      load: async () => {
        const found = await moved;
        return { ...language, planDeploy: (...args: unknown[]) => (plans.push(args), { moved: found }) };
      },
    };
    make = () =>
      new Drift(
        loader as never,
        {
          stateOf: (of: string) => states.get(of),
          files: () => [...states.keys()],
          mayHaveMoved: () => true,
          firstSeen: (of: string, change: string) => ({ ms: of.length + change.length, age: `${change} ago` }),
          onDidChange: deployed.event,
          onDidListJobs: listed.event,
        } as DeploymentStates,
      );
    drift = make();
    drift.onDidChangeFileDecorations((uris) => told.push(...uris.map(String)));
  });
  afterEach(() => drift.dispose());

  it('is a mark with what was changed, where, and since when', async () => {
    assert.equal(editor.providers['decorations'], drift);
    states.set(name, stateOf());
    assert.deepEqual(
      { ...(await drift.provideFileDecoration(uri as never)) },
      {
        badge: '≠',
        color: new standIn.ThemeColor('list.warningForeground'),
        tooltip: 'Changed on Team since the last deploy from here:\nname of 10',
      },
    );
    const found = drift.of(uri as never);
    assert.ok(found);
    assert.deepEqual(
      [found.jobId, found.seenMs, drift.ageOf(uri as never, found)],
      ['1', name.length + 10, 'name of 10 ago'],
    );
    assert.deepEqual([drift.seenMs('1'), drift.seenMs('2')], [name.length + 10, undefined]);
    states.clear();
    assert.equal(drift.seenMs('1'), undefined, 'files that are of no job count no more');
  });

  it('is none of files that are no job files, were not deployed, or whose job is as it was', async () => {
    for (const path of ['/work/a.yml', '/work/a.job.yml.txt', '/work/a.job.json', '/work/ajob.yml']) {
      const other = standIn.Uri.file(path);
      states.set(other.toString(), stateOf());
      assert.equal(await drift.provideFileDecoration(other as never), undefined, path);
    }
    assert.deepEqual(plans, []);
    states.clear();
    assert.equal(await tooltip(), undefined);
    states.set(name, stateOf({ last: () => undefined }));
    deployed.fire();
    await settle();
    assert.deepEqual([await tooltip(), plans], [undefined, []]);
    moved = Promise.resolve([]);
    states.set(name, stateOf());
    deployed.fire();
    await settle();
    assert.deepEqual([await tooltip(), plans.length, told], [undefined, 1, []]);
    const yaml = standIn.Uri.file('/work/b.job.yaml');
    states.set(yaml.toString(), stateOf());
    moved = Promise.resolve(['x']);
    assert.ok(await drift.provideFileDecoration(yaml as never));
  });

  it('is found of what was sent, which may be more than what was read back', async () => {
    const settings = { name: 'now' };
    const last = { settings: { name: 'a' }, sent: { name: 'sent' } } as never;
    states.set(name, stateOf({ settings, last: () => last }));
    await tooltip();
    states.set(name, stateOf({ settings, deploy: 2 }));
    deployed.fire();
    await settle();
    assert.deepEqual(plans, [
      [{ name: 'sent' }, settings, last],
      [{ name: 'before' }, settings, { settings: { name: 'before' } }],
    ]);
  });

  it('is told once, and again with other words, when it is over or somewhere else', async () => {
    moved = Promise.resolve(['max_retries']);
    states.set(name, stateOf());
    deployed.fire();
    await settle();
    assert.deepEqual(told, [name]);
    moved = Promise.resolve(['name']);
    states.set(name, stateOf({ settings: { name: 'c' } }));
    listed.fire();
    await settle();
    assert.deepEqual(told, [name, name]);
    told.pop();
    states.set(name, stateOf({ settings: { name: 'b' } }));
    deployed.fire();
    await settle();
    assert.deepEqual(told, [name], 'the same words');
    states.set(name, stateOf({ profileName: 'Other' }));
    deployed.fire();
    await settle();
    assert.equal(told.length, 2);
    states.delete(name);
    deployed.fire();
    await settle();
    assert.deepEqual([told.length, await tooltip()], [3, undefined]);
  });

  it('is not that of an older job where another look is on its way', async () => {
    const slow = Promise.withResolvers<readonly string[]>();
    moved = slow.promise;
    states.set(name, stateOf());
    deployed.fire();
    await settle();
    moved = Promise.resolve(['new']);
    states.set(name, stateOf({ settings: { name: 'c' } }));
    deployed.fire();
    await settle();
    slow.resolve(['old']);
    await settle();
    assert.match(String(await tooltip()), /new of 10$/);
    assert.equal(told.length, 1);
  });

  it('stays as it was until another look has found something', async () => {
    states.set(name, stateOf());
    await tooltip();
    const slow = Promise.withResolvers<readonly string[]>();
    moved = slow.promise;
    states.set(name, stateOf({ settings: { name: 'c' } }));
    deployed.fire();
    await settle();
    assert.deepEqual([drift.of(uri as never)?.words, told], ['name of 10', [name]]);
    slow.resolve([]);
    await settle();
    assert.deepEqual([drift.of(uri as never), told], [undefined, [name, name]]);
  });

  it('stands in lenses, which come and go with it and with the last run', async () => {
    type Lens = { range: standIn.Range; command: { title: string; command: string; arguments: unknown[] } };
    type Lenses = { provideCodeLenses(of: unknown): Lens[]; onDidChangeCodeLenses(listener: () => void): unknown };
    let isLocal = true;
    const run = { runId: '5', text: 'Failed' };
    const events = { stateOf: () => ({ ...stateOf(), lastRun: run }), onDidChange: deployed.event };
    states.set(name, stateOf());
    await tooltip();
    let changes = 0;
    const lenses = registerLenses(events as never, drift, {
      get current() {
        return { kind: isLocal ? ('local' as const) : ('remote' as const), readOnly: false };
      },
      onDidChange: new Emitter<void>().event,
    });
    const provider = editor.providers['lenses'] as unknown as Lenses;
    provider.onDidChangeCodeLenses(() => (changes += 1));
    const file = textFile(name, '\n# c\n  ---  \n\n  name: a\n');
    const drawn = (): unknown[] =>
      provider
        .provideCodeLenses(file)
        .map(({ range, command }) => [range.start.line, command.title, command.command, ...command.arguments]);
    const all = [
      [4, '$(cloud-upload) Deploy', 'millrace.jobFile.deploy', file.uri],
      [4, '$(play) Run Now', 'millrace.job.runNow', file.uri],
      [4, 'Run with Parameters…', 'millrace.job.runNowWithParameters', file.uri],
      [4, 'Run Once', 'millrace.jobFile.submit', file.uri],
      [4, '$(debug-alt) Debug', 'millrace.job.debug', file.uri],
      [4, '$(diff) Compare with Deployed', 'millrace.jobFile.compare', file.uri],
      [4, '$(warning) Changed on Team, seen name of 10 ago', 'millrace.jobFile.compare', file.uri],
      [4, '$(cloud-download) Pull into File', 'millrace.job.pull', file.uri],
      [4, 'Last run: Failed', 'millrace.openRun', { profileId: 'team', jobId: '1', runId: '5' }],
    ];
    assert.deepEqual(drawn(), all);
    isLocal = false;
    assert.deepEqual(
      drawn(),
      all.filter(([, , command]) => command !== 'millrace.job.debug'),
    );
    const linesOf = (text: string): unknown[] =>
      provider.provideCodeLenses(textFile(name, text)).map(({ range }) => range.start.line);
    assert.deepEqual(
      [linesOf(`${'# c\n'.repeat(199)}name: a`)[0], linesOf(`${'# c\n'.repeat(200)}name: a`)],
      [199, []],
    );
    assert.deepEqual([linesOf('# a\n- b\n')[0], linesOf('---\n--- # c\n')[0]], [1, 1]);
    const [start] = provider.provideCodeLenses(textFile(name, ' \n'));
    assert.equal(start?.command.title, '$(sparkle) Start from a template');
    deployed.fire();
    assert.equal(changes, 1);
    states.delete(name);
    listed.fire();
    await settle();
    assert.equal(changes, 2);
    lenses.dispose();
    deployed.fire();
    assert.deepEqual([changes, editor.providers['lenses']], [2, undefined]);
  });
});
