import assert from 'node:assert/strict';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { registerDebugging } = await import('../../../../src/service/host/registerDebugging.ts');

describe('debug sessions of the type millrace', () => {
  beforeEach(() => editor.reset());

  it('are made of the services of this window, until they are taken away', async () => {
    const register = standIn.debug.registerDebugAdapterDescriptorFactory;
    let registered:
      | { type: string; factory: { createDebugAdapterDescriptor(session: unknown): Promise<unknown> } }
      | undefined;
    let disposals = 0;
    standIn.debug.registerDebugAdapterDescriptorFactory = ((type: string, factory: never) => {
      registered = { type, factory };
      return { dispose: () => (disposals += 1) };
    }) as never;
    try {
      const launched: unknown[] = [];
      const debugging = registerDebugging({
        launcher: async () => ({
          start: async () => {
            launched.push('start');
            throw new Error('not trusted');
          },
        }),
        log: silentLogger,
        onStarted: () => assert.fail('nothing is started'),
      } as never);
      assert.equal(registered?.type, 'millrace');
      const open = (configuration: object): Promise<unknown> | undefined =>
        registered?.factory.createDebugAdapterDescriptor({ name: 'x', configuration });
      await assert.rejects(open({}) ?? assert.fail(), /names no job; nothing was started/);
      await assert.rejects(open({ jobId: '5' }) ?? assert.fail(), /not trusted/);
      assert.deepEqual([launched, debugging.debuggedRuns.phaseOf('5'), disposals], [['start'], undefined, 0]);
      debugging.dispose();
      assert.equal(disposals, 1);
    } finally {
      standIn.debug.registerDebugAdapterDescriptorFactory = register;
    }
  });
});
