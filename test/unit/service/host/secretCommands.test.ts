import assert from 'node:assert/strict';
import { mailPasswordName, storageKeyOf } from '../../../../src/service/host/serviceSecrets.ts';
import { editor, shownTexts } from '../../../support/editorStandIn/editorStandIn.ts';

const { setMailPassword, setSecret } = await import('../../../../src/service/host/secretCommands.ts');

describe('secrets of the local service, as they are asked for', () => {
  let kept: Map<string, string>;
  let keeps: boolean;
  /** That of the editor takes its time, as it asks the system. */
  const later = <T>(work: () => T): Promise<T> => new Promise((resolve) => setImmediate(() => resolve(work())));
  const storage = {
    get: (name: string) => later(() => kept.get(name)),
    store: (name: string, value: string) => later(() => void (keeps && kept.set(name, value))),
    delete: (name: string) => later(() => void kept.delete(name)),
  } as never;
  beforeEach(() => {
    editor.reset();
    [kept, keeps] = [new Map(), true];
  });

  it('are kept where something is typed, removed where nothing is, and left with Escape', async () => {
    const key = storageKeyOf(mailPasswordName);
    editor.input = () => 'pass';
    await setMailPassword(storage);
    assert.equal(kept.get(key), 'pass');
    assert.deepEqual(editor.asked, [
      {
        title: 'Secret of the Local Service',
        prompt: 'Password of the mail server in millrace.local.smtp. Left empty, it is removed.',
        password: true,
        ignoreFocusOut: true,
      },
    ]);
    editor.input = () => undefined;
    await setMailPassword(storage);
    assert.deepEqual([kept.get(key), editor.shown.length], ['pass', 1]);
    editor.input = () => '';
    await setMailPassword(storage);
    assert.equal(kept.has(key), false);
    assert.deepEqual(shownTexts(), [
      `information: The secret "${mailPasswordName}" is kept in the editor's secret storage. The local service has it from its next start on.`,
      `information: The secret "${mailPasswordName}" was removed.`,
    ]);
  });

  it('are not said to be kept where the storage did not keep them', async () => {
    keeps = false;
    editor.input = () => 'pass';
    await assert.rejects(setMailPassword(storage), {
      kind: 'unavailable',
      message: `The editor's secret storage did not keep the secret "${mailPasswordName}". It is not stored anywhere.`,
    });
    assert.deepEqual(editor.shown, []);
  });

  it('are chosen among those that destinations name, or named', async () => {
    editor.settings['millrace.local.destinations'] = {
      d: { url: 'https://x.example', headers: { a: '${secret:one}', b: '${secret:two}' } },
    };
    kept.set(storageKeyOf('two'), 'x');
    let offered: unknown;
    editor.pick = (items) => ((offered = items), items[0]);
    editor.input = () => 'value';
    await setSecret(storage);
    assert.deepEqual(offered, [
      { label: 'one', description: 'not set' },
      { label: 'two', description: 'set' },
      { label: 'Another name…', description: '' },
    ]);
    assert.deepEqual([kept.get(storageKeyOf('one')), editor.asked.length], ['value', 2]);
    editor.pick = (items) => items[2];
    const typed = ['three', 'value 3'];
    editor.input = () => typed.shift();
    await setSecret(storage);
    assert.equal(kept.get(storageKeyOf('three')), 'value 3');
    editor.pick = () => undefined;
    editor.asked = [];
    await setSecret(storage);
    assert.equal(editor.asked.length, 1, 'nothing more is asked');
  });

  it('have names of a few characters', async () => {
    editor.input = () => undefined;
    await setSecret(storage);
    const { validateInput } = editor.asked[0] as { validateInput(text: string): string | undefined };
    assert.deepEqual(
      ['a.b-C_1', 'x'.repeat(64), '', 'a b', 'x'.repeat(65)].map((name) => validateInput(name)),
      [undefined, undefined, ...Array.from({ length: 3 }, () => '1 to 64 letters, digits, "-", "_" and "."')],
    );
    assert.equal(editor.asked.length, 1);
  });
});
