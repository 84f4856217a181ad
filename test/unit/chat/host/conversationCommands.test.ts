import assert from 'node:assert/strict';
import { emptyConversation } from '../../../../src/chat/conversation.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { settle } from '../../../support/fakeClock.ts';
import { heldConversations } from './heldConversations.ts';

const { deleteConversation, exportConversation } = await import('../../../../src/chat/host/conversationCommands.ts');

describe('what is done with a whole conversation', () => {
  const calls: unknown[][] = [];
  const { service } = heldConversations(calls, [], () => false);
  const failed = (error: unknown, what: string): void => void calls.push(['failure', String(error), what]);
  const remove = (title: string, of: object = service): Promise<void> =>
    deleteConversation(of as never, 'a', title, failed);
  beforeEach(() => {
    editor.reset();
    calls.length = 0;
  });

  it('undoes that only when asked to, however late, and tells what goes wrong with it', async () => {
    const answered = Promise.withResolvers<string | undefined>();
    editor.answer = () => answered.promise as never;
    // It is over before the message is answered.
    await remove('A');
    await settle();
    assert.deepEqual(calls, [['delete', 'a']]);
    answered.resolve('Undo');
    await settle();
    assert.deepEqual(calls.splice(0), [
      ['delete', 'a'],
      ['restore', 'a'],
    ]);
    for (const answer of [undefined, 'Close']) {
      editor.answer = () => answer;
      await remove('A');
      await settle();
    }
    assert.deepEqual(calls.splice(0), [
      ['delete', 'a'],
      ['delete', 'a'],
    ]);
    editor.answer = () => 'Undo';
    await remove('A', { ...service, restoreConversation: () => Promise.reject(new Error('EIO')) });
    await settle();
    assert.deepEqual(calls.slice(1), [['failure', 'Error: EIO', 'millrace.chat.delete']]);
  });

  const exported = (title: string): Promise<void> => exportConversation({ ...emptyConversation('a', 0), title });

  it('exports it under a name without what no file may have, in the kinds that there are', async () => {
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }, { uri: standIn.Uri.file('/other') }];
    for (const [title, name] of [
      ['?!', 'conversation.md'],
      ['', 'conversation.md'],
      [`${'x'.repeat(59)} ${'y'.repeat(20)}`, `${'x'.repeat(59)}-.md`],
      ['  Zürich: 2 Läufe. ', 'Zürich-2-Läufe.md'],
    ] as const) {
      await exported(title);
      const { defaultUri, ...rest } = editor.asked.at(-1) as { defaultUri: { path: string } };
      assert.equal(defaultUri.path, `/work/${name}`);
      assert.deepEqual(rest, {
        title: 'Export Chat',
        filters: { Markdown: ['md'], 'JSON, with all variants': ['json'] },
      });
    }
    standIn.workspace.workspaceFolders = undefined;
    await exported('A');
    assert.equal('defaultUri' in (editor.asked.at(-1) as object), false, 'the editor says where');
  });

  it('exports it as Markdown or JSON, as the ending says, and nothing where no file is chosen', async () => {
    await exported('Why / how?');
    assert.deepEqual([editor.written, editor.shownDocuments], [[], []]);
    for (const name of ['a.json.md', 'a.json']) {
      editor.saveTo = standIn.Uri.file(`/out/${name}`);
      await exported('Why / wäre → so?');
    }
    assert.deepEqual(
      editor.written.map(([{ path }]) => path),
      ['/out/a.json.md', '/out/a.json'],
    );
    assert.match(editor.written[0]?.[1] ?? '', /^# Why \/ wäre → so\?/);
    assert.equal((JSON.parse(editor.written[1]?.[1] ?? '') as { title: string }).title, 'Why / wäre → so?');
    assert.deepEqual(
      editor.shownDocuments.map(([uri]) => String(uri)),
      ['file:///out/a.json.md', 'file:///out/a.json'],
    );
  });
});
