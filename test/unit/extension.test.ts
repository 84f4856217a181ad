import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { chatCommands } from '../../src/chat/host/chatCommands.ts';
import { profileCommandNames, serviceCommandNames, commandIds } from '../../src/shared/commandIds.ts';
import { editor, shownTexts } from '../support/editorStandIn/editorStandIn.ts';

// What the commands run is a stand-in: `features.test.ts` has how it is put together.
let isLoaded = false;
registerHooks({
  resolve(name, context, next) {
    if (name !== './features.ts' || context.parentURL?.endsWith('/src/extension.ts') !== true)
      return next(name, context);
    isLoaded = true;
    return {
      url: 'data:text/javascript,export const createFeatures = (context) => globalThis.createTestFeatures(context)',
      shortCircuit: true,
    };
  },
});
const { activate } = await import('../../src/extension.ts');

describe('activate', () => {
  let context: { subscriptions: { dispose(): void }[] };
  let built: unknown[];
  let done: unknown[][];
  let failure: Error | undefined;
  let startFailure: Error | undefined;

  beforeEach(() => {
    editor.reset();
    [context, built, done, failure, startFailure] = [{ subscriptions: [] }, [], [], undefined, undefined];
    const noted =
      (name: string) =>
      async (...given: unknown[]): Promise<unknown> => {
        done.push([name, ...given]);
        if (failure !== undefined) throw failure;
        return `of ${name}`;
      };
    Object.assign(globalThis, {
      createTestFeatures(given: unknown) {
        built.push(given);
        if (startFailure !== undefined) throw startFailure;
        return {
          commands: { run: noted('commands') },
          connections: { run: noted('connections') },
          chat: { run: noted('chat') },
          localService: { run: noted('service') },
          presentFailure: (...given_: unknown[]) => void done.push(['presented', ...given_]),
          runDocuments: { read: noted('texts'), onDidChange: () => undefined },
        };
      },
    });
  });
  const run = async (id: string, ...given: unknown[]): Promise<unknown> => editor.commands.get(id)?.(...given);

  it('registers every command at once and builds the features once, in the next turn', async () => {
    activate(context as never);
    assert.deepEqual(
      [...editor.commands.keys()],
      [
        ...commandIds,
        ...profileCommandNames.map((name) => `millrace.profile.${name}`),
        ...chatCommands.map((name) => `millrace.chat.${name}`),
        ...serviceCommandNames.map((name) => `millrace.service.${name}`),
      ],
    );
    assert.equal(context.subscriptions.length, editor.commands.size + 1);
    assert.ok(editor.providers['millrace-run']);
    for (let step = 0; step < 20; step += 1) await Promise.resolve();
    assert.deepEqual([isLoaded, built], [false, []]);
    await nextTurn();
    await run('millrace.jobs.refresh');
    assert.deepEqual(built, [context]);
    for (const each of context.subscriptions) each.dispose();
    assert.equal(editor.commands.size, 0);
  });

  it('passes each command with its arguments to its feature and returns the result', async () => {
    activate(context as never);
    const [[profile], [chat], [service]] = [profileCommandNames, chatCommands, serviceCommandNames] as const;
    const rows = [{ jobId: '5' }, [{ jobId: '5' }, { jobId: '6' }]];
    const given = [];
    for (const [id, ...args] of [
      ['millrace.job.delete', ...rows],
      [`millrace.profile.${profile}`, 'local'],
      [`millrace.chat.${chat}`, 'words'],
      [`millrace.service.${service}`, 'not handed on'],
    ] as const)
      given.push(await run(id, ...args));
    assert.deepEqual(done, [
      ['commands', 'millrace.job.delete', ...rows],
      ['connections', profile, 'local'],
      ['chat', chat, 'words'],
      ['service', service],
    ]);
    assert.deepEqual(given, ['of commands', 'of connections', 'of chat', 'of service']);
  });

  it('reads a restored run document before the features are built', async () => {
    activate(context as never);
    await editor.providers['millrace-run']?.['readFile']?.('a URI' as never);
    assert.deepEqual([built, done], [[context], [['texts', 'a URI']]]);
  });

  it('presents the error of a failed command', async () => {
    activate(context as never);
    failure = new Error('no');
    assert.equal(await run('millrace.job.delete'), undefined);
    assert.equal(await run('millrace.service.stop'), undefined);
    assert.deepEqual(done, [
      ['commands', 'millrace.job.delete'],
      ['presented', failure, 'millrace.job.delete'],
      ['service', 'stop'],
      ['presented', failure, 'millrace.service.stop'],
    ]);
    assert.deepEqual(shownTexts(), []);
  });

  it('reports a failed start and tries again with the next command', async () => {
    startFailure = new Error('no memory');
    activate(context as never);
    await nextTurn();
    await nextTurn();
    assert.deepEqual(shownTexts(), ['error: Millrace could not start: no memory']);
    assert.equal(await run('millrace.job.delete'), undefined);
    assert.equal(shownTexts().length, 2);
    startFailure = undefined;
    assert.equal(await run('millrace.jobs.refresh'), 'of commands');
    assert.deepEqual([built.length, done], [3, [['commands', 'millrace.jobs.refresh']]]);
  });
});
