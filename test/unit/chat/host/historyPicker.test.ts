import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';
import { heldConversations } from './heldConversations.ts';

const { showHistory } = await import('../../../../src/chat/host/historyPicker.ts');

describe('conversations that were held', () => {
  const calls: unknown[][] = [];
  const searched: string[] = [];
  let unread: string | undefined;
  const { noted, service: held } = heldConversations(calls, searched, (id) => id === unread);
  const service = {
    ...held,
    currentConversation: { id: 'a', title: 'A' },
  };
  const rowsOf = (box: Record<string, unknown> | undefined): { detail?: string }[] => (box?.['items'] ?? []) as never;
  const itemsOf = <T>(box: Record<string, unknown> | undefined): T[] => (box?.['items'] ?? []) as T[];
  beforeEach(() => {
    editor.reset();
    calls.length = searched.length = 0;
    unread = undefined;
  });

  it('marks in the list what is being written and what has an answer that nobody saw', async () => {
    unread = 'a';
    await showHistory(service as never, noted('shown'), () => undefined);
    const items = editor.boxes[0]?.['items'] as { description?: string; iconPath?: { id: string } }[];
    assert.deepEqual(
      items.slice(1).map(({ description, iconPath }) => [description?.split(', ').at(-1), iconPath?.id]),
      [
        ['new answer', 'circle-filled'],
        ['writing', 'loading~spin'],
      ],
    );
  });

  it('asks for a new name with the old one, and lists what is left after a deletion', async () => {
    let left = await held.listConversations();
    const changing = { ...service, listConversations: async () => left };
    await showHistory(changing as never, noted('shown'), () => undefined);
    const [box] = editor.boxes;
    const [, first] = itemsOf<{ buttons: unknown[] }>(box);
    box?.events.itemButton.fire({ item: first, button: first?.buttons[0] } as never);
    await nextTurn();
    assert.equal((editor.asked[0] as { value?: string }).value, 'A');
    left = left.slice(1);
    box?.events.itemButton.fire({ item: first, button: first?.buttons[1] } as never);
    await nextTurn();
    assert.deepEqual(
      [itemsOf<{ label: string }>(box).map(({ label }) => label), editor.shown[0]?.text],
      [['January 1970', 'Untitled chat'], '"A" was deleted.'],
    );
  });

  it('finds conversations by what was said in them, and reads them once', async () => {
    await showHistory(service as never, noted('shown'), () => undefined);
    const [box] = editor.boxes;
    const type = async (value: string): Promise<(string | undefined)[]> => {
      Object.assign(box ?? {}, { value });
      box?.events.value.fire(value as never);
      await nextTurn();
      const items = (box?.['items'] ?? []) as { detail?: string; alwaysShow?: boolean }[];
      return items.filter(({ alwaysShow }) => alwaysShow).map(({ detail }) => detail);
    };
    assert.deepEqual([await type('Da'), searched], [[], []], 'two letters are everywhere');
    assert.deepEqual(await type('DAYS'), ['the days are empty in b']);
    assert.deepEqual(await type('empty in'), ['the days are empty in b']);
    assert.deepEqual(await type('nowhere'), []);
    assert.deepEqual(searched, ['a', 'b']);
  });

  it('says what went wrong with an undo, with the search, and with what was chosen in it', async () => {
    const failures: unknown[][] = [];
    const present = (error: unknown, what: string): void => void failures.push([String(error), what]);
    editor.answer = () => 'Undo';
    const broken = Object.assign(Object.create(service) as typeof service, {
      restoreConversation: async () => Promise.reject(new Error('restore')),
      openConversation: async () => Promise.reject(new Error('open')),
      wordsOf: async () => Promise.reject(new Error('words')),
    });
    await showHistory(broken as never, noted('shown'), present);
    const [box] = editor.boxes;
    box?.events.value.fire('long enough' as never);
    await nextTurn();
    box?.events.itemButton.fire({ item: { label: 'Today' }, button: {} } as never);
    const [, first] = itemsOf<{ buttons: unknown[] }>(box);
    box?.events.itemButton.fire({ item: first, button: first?.buttons[1] } as never);
    await nextTurn();
    box?.events.accept.fire(undefined as never);
    Object.assign(box ?? {}, { selectedItems: rowsOf(box).slice(1, 2) });
    box?.events.accept.fire(undefined as never);
    await nextTurn();
    assert.deepEqual(failures, [
      ['Error: words', 'millrace.chat.history'],
      ['Error: restore', 'millrace.chat.delete'],
      ['Error: open', 'millrace.chat.history'],
    ]);
    assert.deepEqual(calls, [['delete', 'a']]);
  });

  it('marks those whose answer was cut off, which is less than one that is written or unread', async () => {
    unread = 'u';
    const listed = ['b', 'u', 'x', 'a'].map((id) => ({
      id,
      title: id,
      updatedAtMs: 1,
      hasContent: true,
      isCutOff: true,
    }));
    await showHistory({ ...service, listConversations: async () => listed } as never, noted('shown'), () => undefined);
    const items = itemsOf<{ description?: string; iconPath?: { id: string } }>(editor.boxes[0]);
    assert.deepEqual(
      items.slice(1).map(({ description, iconPath }) => [description?.split(', ').slice(2).join(), iconPath?.id]),
      [
        ['writing', 'loading~spin'],
        ['new answer', 'circle-filled'],
        ['cut off', 'warning'],
        ['cut off,shown', 'warning'],
      ],
    );
  });
});
