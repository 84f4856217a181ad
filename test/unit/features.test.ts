import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { l10n } from '../../src/shared/l10n.ts';
import { editor, memento, standIn } from '../support/editorStandIn/editorStandIn.ts';

/** The modules that are replaced, and what they export. */
const makers: Readonly<Record<string, readonly string[]>> = {
  './chat/host/languageModels.ts': ['registerLanguageModels'],
  './chat/host/registerChat.ts': ['registerChat'],
  './cli/host/languageModelTools.ts': ['registerLanguageModelTools'],
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
  './service/host/agentServer.ts': ['registerAgentServer'],
  './runs/host/graphTab.ts': ['GraphTab'],
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

describe('createFeatures', () => {
  let made: [name: string, given: unknown[]][];
  let disposed: string[];
  let fails: string | undefined;
  const context = { subscriptions: [] as { dispose(): void }[], workspaceState: memento(), globalState: memento() };

  beforeEach(() => {
    editor.reset();
    [made, disposed, fails] = [[], [], undefined];
    context.subscriptions = [];
    const makePart = (name: string, given: unknown[]): object => {
      made.push([name, given]);
      if (name === fails) throw new Error(`no ${name}`);
      return {
        dataFolder: '/data',
        onDidChange: () => ({ dispose: () => undefined }),
        dispose: () => void disposed.push(name),
      };
    };
    Object.assign(globalThis, { makeTestPart: makePart });
    Object.assign(standIn.window, { createOutputChannel: (...given: unknown[]) => makePart('log', given) });
  });
  afterEach(() => l10n.useBundle({}));
  after(() => Reflect.deleteProperty(standIn.window, 'createOutputChannel'));

  it('stores deploys by service address, and those of the local service with its data', () => {
    createFeatures(context as never);
    const memoryFor = made.find(([name]) => name === 'SharedDeploys')?.[1][1] as (profile: object) => unknown;
    made = [];
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
    for (const each of context.subscriptions) each.dispose();
    const order = made.map(([name]) => name).filter((name) => disposed.includes(name));
    assert.deepEqual(disposed, order.toReversed());
    for (const name of ['log', 'EditorConnections', 'FileDeployments', 'registerLocalService', 'registerRuns'])
      assert.ok(disposed.includes(name), name);
  });

  it('disposes the built parts if a later one fails, and can be called again', () => {
    fails = 'registerRuns';
    assert.throws(() => createFeatures(context as never), /no registerRuns/);
    assert.deepEqual(context.subscriptions, []);
    for (const name of ['log', 'EditorConnections', 'FileDeployments', 'registerLocalService'])
      assert.ok(disposed.includes(name), name);
    fails = undefined;
    createFeatures(context as never);
    assert.equal(context.subscriptions.length, 1);
  });
});
