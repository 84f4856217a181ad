import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';
import { settle } from '../../../support/fakeClock.ts';

const { registerChat } = await import('../../../../src/chat/host/registerChat.ts');

describe('the view of the chat', () => {
  /** The view is wanted beside the jobs. @returns whether anything was loaded for it, and what became of that */
  const resolveBeside = (jobsShown: Promise<void>): { loads(): number; resolved: Promise<unknown> } => {
    editor.reset();
    let loads = 0;
    registerChat({} as never, {
      connections: new FakeConnections(),
      jobsShown: () => jobsShown,
      loadTools() {
        loads += 1;
        return Promise.reject(new Error('no tools'));
      },
      applyCode: async () => undefined,
      isProcessAlive: () => false,
      log: silentLogger,
      presentFailure: () => undefined,
    });
    const resolve = editor.providers['webview']?.['resolveWebviewView'] as (view: unknown) => Promise<unknown>;
    return { loads: () => loads, resolved: resolve({}).then(undefined, String) };
  };

  it('loads nothing while the jobs beside it are about to be shown', async () => {
    const shown = Promise.withResolvers<void>();
    const { loads, resolved } = resolveBeside(shown.promise);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    assert.equal(loads(), 0);
    shown.resolve();
    assert.equal(await resolved, 'Error: no tools');
    assert.equal(loads(), 1);
  });

  it('waits for jobs that do not come no longer than three tenths of a second', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { loads, resolved } = resolveBeside(new Promise(() => undefined));
      mock.timers.tick(299);
      await settle();
      assert.equal(loads(), 0);
      mock.timers.tick(1);
      assert.equal(await resolved, 'Error: no tools');
      assert.equal(loads(), 1);
    } finally {
      mock.timers.reset();
    }
  });
});
