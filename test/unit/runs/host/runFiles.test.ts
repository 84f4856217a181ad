import assert from 'node:assert/strict';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { registerRunFiles } = await import('../../../../src/runs/host/runFiles.ts');

describe('outputs of runs as files of the editor', () => {
  const uri = standIn.Uri.parse('millrace-run://local/etl #1.log?9');
  let loads: number;
  let failure: Error | undefined;
  let told: unknown[];
  let texts: InstanceType<typeof standIn.EventEmitter>;
  let registration: { dispose(): void };

  beforeEach(() => {
    editor.reset();
    [loads, failure, told, texts] = [0, undefined, [], new standIn.EventEmitter()];
    registration = registerRunFiles(async () => {
      loads += 1;
      if (failure) throw failure;
      return { read: async (of) => `of ${String(of)}`, onDidChange: texts.event as never };
    });
    const { onDidChangeFile } = editor.providers['millrace-run'] as unknown as {
      onDidChangeFile(listener: (event: unknown) => void): void;
    };
    onDidChangeFile((event) => told.push(event));
  });
  const call = (name: string): unknown =>
    (editor.providers['millrace-run'] as Record<string, (...args: unknown[]) => unknown>)[name]?.(uri);
  const read = async (): Promise<string> =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode((await call('readFile')) as Uint8Array);

  it('are read-only, and read in UTF-8 whatever the user has set, once the rest is there', async () => {
    assert.deepEqual([editor.selectors['millrace-run'], loads], [{ isReadonly: true }, 0]);
    assert.equal(await read(), `\uFEFFof ${String(uri)}`);
    await read();
    assert.equal(loads, 1);
    for (const change of ['writeFile', 'delete', 'rename', 'createDirectory'])
      assert.throws(() => call(change), /NoPermissions/);
    assert.deepEqual(call('readDirectory'), []);
    registration.dispose();
    assert.equal(editor.providers['millrace-run'], undefined);
  });
});
