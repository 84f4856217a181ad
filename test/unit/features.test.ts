import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { l10n } from '../../src/shared/l10n.ts';
import { editor, memento, standIn } from '../support/editorStandIn/editorStandIn.ts';

/** What is put together, each by what makes it. */
const makers: Readonly<Record<string, readonly string[]>> = {
  './chat/host/registerChat.ts': ['registerChat'],
  './deployments/deployFolders.ts': ['localMemoryOf', 'memoryOf'],
  './commands/host/createCommands.ts': ['createCommands'],
  './commands/host/fileDeployments.ts': ['FileDeployments'],
  './commands/host/presentFailure.ts': ['createFailurePresenter'],
  './commands/host/sharedDeploys.ts': ['SharedDeploys'],
  './connection/host/editorConnections.ts': ['EditorConnections'],
  './jobfile/host/registerJobFile.ts': ['registerJobFile'],
  './runs/host/registerPages.ts': ['registerPages'],
  './runs/host/registerRuns.ts': ['registerRuns'],
  './runs/store/runStore.ts': ['RunStore'],
  './service/host/localFolders.ts': ['localFolders'],
  './service/host/programTasks.ts': ['registerProgramTasks'],
  './service/host/registerDebugging.ts': ['registerDebugging'],
  './service/host/registerLocalService.ts': ['registerLocalService'],
  './service/host/cliOnPath.ts': ['registerCliOnPath'],
};
registerHooks({
  resolve: (name, context, next) => {
    const names = context.parentURL?.endsWith('/src/features.ts') === true ? makers[name] : undefined;
    const text = names?.map(
      (one) => `export function ${one}(...given) { return globalThis.makeTestPart('${one}', given) }`,
    );
    return text
      ? { url: `data:text/javascript,${encodeURIComponent(text.join('\n'))}`, shortCircuit: true }
      : next(name, context);
  },
});
const { createFeatures } = await import('../../src/features.ts');

type Part = Record<string, unknown> & { dispose(): void };
interface Options {
  [name: string]: unknown;
}

describe('createFeatures', () => {
  let made: [name: string, given: unknown[]][];
  let parts: Record<string, Part>;
  let told: unknown[][];
  let fails: string | undefined;
  let changed: (() => void)[];
  const context = {
    subscriptions: [] as { dispose(): void }[],
    workspaceState: memento(),
    globalState: memento(),
  };

  beforeEach(() => {
    editor.reset();
    [made, parts, told, fails, changed] = [[], {}, [], undefined, []];
    context.subscriptions = [];
    const note =
      (name: string, answer?: unknown) =>
      (...given: unknown[]): unknown => {
        told.push([name, ...given]);
        return answer;
      };
    const own: Record<string, () => object> = {
      registerLocalService: () => ({
        launcher: note('launcher'),
        hasData: note('hasData'),
        onDidChange: (listener: () => void) => {
          changed.push(listener);
          return { dispose: note('dispose listener') };
        },
      }),
      registerRuns: () => ({ pollSoon: note('pollSoon'), watch: note('watch'), documents: 'texts of runs' }),
      registerDebugging: () => ({ debuggedRuns: 'debugged runs' }),
      FileDeployments: () => ({ filesOf: note('filesOf', ['file:///a']), syncOf: note('syncOf', 'in step') }),
      registerPages: () => ({ causeOf: note('causeOf', 'a cause') }),
      createCommands: () => ({
        loadChatTools: note('loadChatTools', 'tools'),
        applyCode: note('applyCode', 'applied'),
      }),
      registerJobFile: () => ({ changesElsewhere: 'changes elsewhere' }),
      localFolders: () => ({ dataFolder: '/data' }),
    };
    Object.assign(globalThis, {
      makeTestPart(name: string, given: unknown[]) {
        made.push([name, given]);
        if (name === fails) throw new Error(`no ${name}`);
        return (parts[name] = { ...own[name]?.(), dispose: note(`dispose ${name}`) } as Part);
      },
    });
    Object.assign(standIn.window, {
      createOutputChannel: (...given: unknown[]) => {
        made.push(['log', given]);
        return (parts['log'] = { dispose: note('dispose log') } as Part);
      },
    });
  });
  afterEach(() => l10n.useBundle({}));
  after(() => Reflect.deleteProperty(standIn.window, 'createOutputChannel'));

  const optionsOf = (name: string, at = 1): Options => made.find(([one]) => one === name)?.[1][at] as Options;
  const call = (name: string, option: string, at: number, ...given: unknown[]): unknown =>
    (optionsOf(name, at)[option] as (...all: unknown[]) => unknown)(...given);

  it('polls runs when the local service changes or a debug run starts', () => {
    createFeatures(context as never);
    told.length = 0;
    for (const listener of changed) listener();
    call('registerDebugging', 'onStarted', 0, '77');
    assert.deepEqual(told, [['pollSoon'], ['watch', 'local', '77'], ['pollSoon']]);
  });

  it('stores deploys by service address, and those of the local service with its data', () => {
    createFeatures(context as never);
    const memoryFor = made.find(([name]) => name === 'SharedDeploys')?.[1][1] as (profile: object) => unknown;
    made.length = 0;
    memoryFor({ baseUrl: 'https://staging.example' });
    memoryFor({});
    assert.deepEqual(made, [
      ['memoryOf', ['https://staging.example']],
      ['localFolders', [context]],
      ['localMemoryOf', ['/data']],
    ]);
  });

  it('isolates right-to-left values in translated texts', () => {
    createFeatures(context as never);
    assert.equal(l10n.t('{0} runs {1}', 2, 'שלום'), '2 runs \u2068שלום\u2069');
  });

  it('disposes all parts with the extension, the last one first', () => {
    createFeatures(context as never);
    assert.equal(context.subscriptions.length, 1);
    told.length = 0;
    context.subscriptions[0]?.dispose();
    const disposed = told.map(([name]) => String(name).replace('dispose ', ''));
    for (const part of disposed.filter((name) => name !== 'listener')) assert.ok(part in parts, part);
    assert.ok(disposed.length > 10);
    const order = made.map(([name]) => name).filter((name) => disposed.includes(name));
    assert.deepEqual(
      disposed.filter((name) => name !== 'listener'),
      order.toReversed(),
    );
  });

  it('disposes the built parts if a later one fails', () => {
    fails = 'registerRuns';
    assert.throws(() => createFeatures(context as never), /no registerRuns/);
    assert.deepEqual(context.subscriptions, []);
    const built = made.map(([name]) => name).filter((name) => name !== fails && 'dispose' in (parts[name] ?? {}));
    const disposed = told.map(([name]) => String(name).replace('dispose ', ''));
    for (const name of ['log', 'EditorConnections', 'FileDeployments', 'registerLocalService'])
      assert.ok(built.includes(name) && disposed.includes(name), name);
  });
});
