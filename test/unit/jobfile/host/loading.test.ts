import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { DeploymentState, DeploymentStates } from '../../../../src/jobfile/host/deploymentStates.ts';
import type { Problem } from '../../../../src/jobfile/services/jobFileService.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';
import { settle } from '../../../support/fakeClock.ts';

const { registerJobFile } = await import('../../../../src/jobfile/host/registerJobFile.ts');
const { Diagnostics } = await import('../../../../src/jobfile/host/diagnostics.ts');
const { Drift } = await import('../../../../src/jobfile/host/drift.ts');
const { registerLenses } = await import('../../../../src/jobfile/host/jobFileFeatures.ts');

await import('../../../../src/jobfile/host/jobFileFeatures.ts');

describe('Loading the job file language', () => {
  let language: ReturnType<typeof registerJobFile> | undefined;
  let mayHaveMoved: boolean;
  let errors: string[];
  let state: object | undefined;
  let connections: FakeConnections;
  let isBroken: boolean;
  const listed = new Emitter<void>();
  const changed = new Emitter<void>();
  const start = (): void => {
    language = registerJobFile({
      get connections() {
        if (isBroken) throw new Error('gone');
        return connections;
      },
      log: { ...silentLogger, error: (text: string, error: unknown) => void errors.push(`${text} ${String(error)}`) },
      deployments: {
        stateOf: () => state as never,
        files: () => (state ? ['file:///work/a.job.yml'] : []),
        mayHaveMoved: () => mayHaveMoved,
        firstSeen: () => ({ ms: 77, age: '3 min ago' }),
        onDidChange: changed.event,
        onDidListJobs: listed.event,
      },
      loadGraph: async () => ({
        isOpen: false,
        show: () => undefined,
        onDidChoose: new Emitter<string>().event,
        dispose: () => undefined,
      }),
    } as never);
  };
  const isLoaded = (): boolean => Object.keys(editor.providers).length > 0;
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
  };
  const named = (name: string, languageId: string): object =>
    Object.assign(textFile(`file:///work/${name}`, '', languageId), { fileName: `/work/${name}` });
  beforeEach(() => {
    editor.reset();
    standIn.workspace.textDocuments = [];
    [mayHaveMoved, errors, state, isBroken] = [false, [], undefined, false];
    connections = new FakeConnections();
  });
  afterEach(() => language?.dispose());

  it('does not happen for other files', async () => {
    standIn.workspace.textDocuments = [named('a.job.json', 'plaintext'), named('b.json', 'json')] as never;
    start();
    editor.events.opened.fire(named('c.yml', 'yaml') as never);
    listed.fire();
    await settle();
    assert.equal(isLoaded(), false);
    assert.equal(language?.changesElsewhere.seenMs('1'), undefined);
  });

  for (const [name, id] of [
    ['a.job.yml', 'millrace-job'],
    ['a.job.json', 'json'],
  ] as const) {
    it(`happens for ${name}, already open or newly opened`, async () => {
      standIn.workspace.textDocuments = [named('b.json', 'json'), named(name, id)] as never;
      start();
      await eventually(() => assert.equal(isLoaded(), true));
      language?.dispose();
      editor.reset();
      standIn.workspace.textDocuments = [];
      start();
      await settle();
      assert.equal(isLoaded(), false);
      editor.events.opened.fire(named(name, id) as never);
      await eventually(() => assert.equal(isLoaded(), true));
    });
  }

  it('is retried with the next job file after a failure', async () => {
    isBroken = true;
    start();
    const file = named('a.job.yml', 'millrace-job') as never;
    editor.events.opened.fire(file);
    await eventually(() => assert.deepEqual(errors, ['The job file language could not be loaded. Error: gone']));
    assert.equal(isLoaded(), false);
    isBroken = false;
    editor.events.opened.fire(file);
    await eventually(() => assert.equal(isLoaded(), true));
    assert.equal(errors.length, 1);
  });
});

const problem = (code: string): Problem => ({ code, message: code, start: 0, end: 1, severity: 'error' }) as Problem;

describe('Diagnostics', () => {
  const filesChanged = new Emitter<void>();
  let diagnostics: InstanceType<typeof Diagnostics>;
  let file: { isClosed: boolean; version: number };
  let reported: unknown[];
  let checks: number;
  /** What the checks find, and what becomes of the search for missing files. */
  let found: Problem[];
  let isMissing: boolean;
  let looking: PromiseWithResolvers<boolean>;
  let loaded: Promise<unknown>;
  let checkInMs: number;
  let nowMs: number;
  const codes = (): unknown[] | undefined =>
    editor.diagnostics.get('file:///a.job.yml')?.map((mark) => (mark as { code: string }).code);

  beforeEach(() => {
    editor.reset();
    mock.timers.enable({ apis: ['setTimeout'] });
    nowMs = 7_000;
    mock.method(performance, 'now', () => nowMs);
    [reported, checks, found, isMissing, checkInMs] = [[], 0, [problem('a')], false, 0];
    looking = Promise.withResolvers();
    const language = {
      validate: () => {
        checks += 1;
        nowMs += checkInMs;
        return found;
      },
    };
    loaded = Promise.resolve(language);
    start();
    file = textFile('file:///a.job.yml', 'name: a') as never;
    standIn.workspace.textDocuments = [file as never];
  });
  function start(): void {
    diagnostics = new Diagnostics(
      { load: () => loaded, parsed: () => ({}) } as never,
      {
        onDidChange: filesChanged.event,
        problemsOf: () => (isMissing ? [problem('missingFile')] : []),
        refresh: () => looking.promise,
      } as never,
      (error) => reported.push(error),
    );
  }
  afterEach(() => {
    diagnostics.dispose();
    mock.timers.reset();
    mock.reset();
  });
  const pass = async (durationInMs: number): Promise<void> => {
    mock.timers.tick(durationInMs);
    await settle();
  };
  const open = async (): Promise<void> => {
    editor.events.opened.fire(file);
    await pass(0);
  };
  const change = (): void => {
    file.version += 1;
    editor.events.changed.fire({ document: file });
  };
  const filesAreFound = async (areNews = true): Promise<void> => {
    isMissing = true;
    looking.resolve(areNews);
    await settle();
  };

  it('do not return to a file that was closed during the search', async () => {
    await open();
    file.isClosed = true;
    editor.events.closed.fire(file);
    await filesAreFound();
    assert.equal(codes(), undefined);
  });

  it('are never those of an older text', async () => {
    await open();
    const older = looking;
    looking = Promise.withResolvers();
    found = [problem('b')];
    change();
    await pass(250);
    assert.deepEqual(codes(), ['b']);
    older.resolve(true);
    await settle();
    assert.deepEqual(codes(), ['b']);
  });

  it('wait longer after a slow check, up to 250 ms', async () => {
    await open();
    for (const [waitInMs, durationInMs] of [
      [10, 40],
      [80, 5_000],
      [250, 0],
      [10, 0],
    ] as const) {
      const before = checks;
      checkInMs = durationInMs;
      change();
      await pass(waitInMs - 1);
      assert.equal(checks, before, `before ${waitInMs} ms`);
      await pass(1);
      assert.equal(checks, before + 1, `after ${waitInMs} ms`);
    }
  });

  const bystander = (uri: string, languageId?: string): object => textFile(uri, 'name: a', languageId);

  it('cover every open job file and refresh when files change', async () => {
    diagnostics.dispose();
    editor.reset();
    const second = bystander('file:///b.job.yml');
    standIn.workspace.textDocuments = [file, second, bystander('file:///c.yml', 'yaml')] as never;
    start();
    await pass(0);
    assert.deepEqual([checks, [...editor.diagnostics.keys()]], [2, ['file:///a.job.yml', 'file:///b.job.yml']]);
    filesChanged.fire();
    await pass(249);
    assert.equal(checks, 2);
    await pass(1);
    assert.equal(checks, 4);
  });
});

const uri = standIn.Uri.file('/work/a.job.yml');

const name = uri.toString();

describe('Drift', () => {
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

  it('marks a file whose job was changed elsewhere', async () => {
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

  it('marks no file without a deploy or a change', async () => {
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

  it('ignores the result of an outdated comparison', async () => {
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

  it('offers to compare and to pull in lenses', async () => {
    type Lens = { command: { title: string; command: string; arguments: unknown[] } };
    type Lenses = { provideCodeLenses(of: unknown): Lens[]; onDidChangeCodeLenses(listener: () => void): unknown };
    const run = { runId: '5', text: 'Failed' };
    const events = { stateOf: () => ({ ...stateOf(), lastRun: run }), onDidChange: deployed.event };
    states.set(name, stateOf());
    await tooltip();
    let changes = 0;
    const lenses = registerLenses(events as never, drift, {
      current: { kind: 'remote' as const, readOnly: false },
      onDidChange: new Emitter<void>().event,
    });
    const provider = editor.providers['lenses'] as unknown as Lenses;
    provider.onDidChangeCodeLenses(() => (changes += 1));
    const file = textFile(name, '\n# c\n  ---  \n\n  name: a\n');
    const drawn = provider.provideCodeLenses(file).map(({ command }) => command);
    assert.ok(drawn.some(({ command, title }) => command === 'millrace.jobFile.compare' && title.includes('Team')));
    const more = drawn.at(-1)?.arguments.flat() as { command: string }[];
    assert.ok(more.some(({ command }) => command === 'millrace.job.pull'));
    assert.ok(drawn.some(({ title }) => title.startsWith('Last run')));
    deployed.fire();
    assert.equal(changes, 1);
    lenses.dispose();
  });
});
