import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';
import { heldConversations } from './heldConversations.ts';

const { showHistory } = await import('../../../../src/chat/host/historyPicker.ts');

describe('conversations that were held', () => {
  holdTrail(import.meta.url);
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

  it('lists the conversations that have something in them by day, and opens one after the list is closed', async () => {
    await showHistory(service as never, noted('shown'), () => undefined);
    const [box] = editor.boxes;
    const items = box?.['items'] as { label: string; description?: string; buttons: unknown[]; kind?: number }[];
    assert.deepEqual(
      items.map(({ label }) => label),
      ['January 1970', 'A', 'Untitled chat'],
    );
    assert.match(items[1]?.description ?? '', /, shown$/);
    assert.match(items[2]?.description ?? '', /, writing$/);
    assert.deepEqual([box?.['busy'], box?.isShown], [false, true]);
    box?.events.itemButton.fire({ item: items[2], button: items[2]?.buttons[1] } as never);
    await nextTurn();
    assert.deepEqual(calls, [['delete', 'b']]);
    editor.input = () => 'N';
    box?.events.itemButton.fire({ item: items[1], button: items[1]?.buttons[0] } as never);
    await nextTurn();
    assert.deepEqual(calls.slice(1), [['rename', 'a', 'N']]);
    Object.assign(box ?? {}, { selectedItems: [items[1]] });
    box?.events.accept.fire(undefined as never);
    await nextTurn();
    assert.deepEqual([box?.isDisposed, calls.slice(2).map(([name]) => name)], [true, ['open', 'shown']]);
  });

  it('says what it lists, with a line between the days, and when each was said', async () => {
    const { language } = standIn.env;
    standIn.env.language = 'de';
    try {
      const days = [Date.UTC(2020, 4, 3, 12, 5), Date.UTC(2020, 4, 2), Date.UTC(2020, 3, 2)];
      const listed = days.map((updatedAtMs, index) => ({ id: `${index}`, title: 'T', updatedAtMs, hasContent: true }));
      const old = { ...service, currentConversation: undefined, listConversations: async () => listed };
      await showHistory(old as never, noted('shown'), () => undefined);
      const [box] = editor.boxes;
      const { Separator } = standIn.QuickPickItemKind;
      assert.deepEqual([box?.['title'], box?.['placeholder']], ['Chats', 'Search titles and messages']);
      assert.deepEqual(
        itemsOf<{ label: string; kind?: number; description?: string }>(box).map((item) => [
          item.label,
          item.kind ?? item.description,
        ]),
        [
          ['Mai 2020', Separator],
          ['T', '03.05.20, 12:05'],
          ['T', '02.05.20, 00:00'],
          ['April 2020', Separator],
          ['T', '02.04.20, 00:00'],
        ],
      );
      const icons = itemsOf<{ iconPath?: { id: string } }>(box).flatMap(({ iconPath }) => iconPath?.id ?? []);
      assert.deepEqual(icons, ['comment', 'comment', 'comment']);
    } finally {
      standIn.env.language = language;
    }
  });

  it('is filled, and told of what cannot be listed, before it is done', async () => {
    const list = Promise.withResolvers<never[]>();
    let done = false;
    const shown = showHistory({ ...service, listConversations: () => list.promise } as never, noted('shown'), () => {});
    void shown.then(
      () => (done = true),
      () => undefined,
    );
    await nextTurn();
    assert.deepEqual([done, editor.boxes[0]?.['busy'], editor.boxes[0]?.isShown], [false, true, true]);
    list.reject(new Error('EIO'));
    await assert.rejects(shown, /EIO/);
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

  it('searches without the blanks around what is typed, and forgets it when less is typed', async () => {
    await showHistory(service as never, noted('shown'), () => undefined);
    const [box] = editor.boxes;
    const details: unknown[] = [];
    for (const value of [' da ', '  days ', 'da']) {
      Object.assign(box ?? {}, { value });
      box?.events.value.fire(value as never);
      await nextTurn();
      details.push(rowsOf(box).map(({ detail }) => detail));
    }
    assert.deepEqual(details, [
      [undefined, undefined, undefined],
      [undefined, undefined, 'the days are empty in b'],
      [undefined, undefined, undefined],
    ]);
    assert.deepEqual(searched, ['a', 'b']);
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

  it('is busy while it reads, searches from three characters on, and has the buttons of its rows', async () => {
    const reading = Promise.withResolvers<string>();
    const slow = Object.assign(Object.create(service) as typeof service, {
      wordsOf: async (id: string) => (searched.push(id), reading.promise),
    });
    const shown = showHistory(slow as never, noted('shown'), () => undefined);
    const [box] = editor.boxes;
    assert.deepEqual([box?.['busy'], box?.['matchOnDetail'], box?.isShown], [true, true, true]);
    await shown;
    const rows = box?.['items'] as { description: string; buttons?: { iconPath: { id: string }; tooltip: string }[] }[];
    assert.deepEqual(
      rows[1]?.buttons?.map(({ iconPath, tooltip }) => [iconPath.id, tooltip]),
      [
        ['edit', 'Rename'],
        ['trash', 'Delete'],
      ],
    );
    assert.match(rows[1]?.description ?? '', /^1\/1\/70, 12:00\sAM, shown$/);
    for (const value of [' da ', 'da']) {
      Object.assign(box ?? {}, { value });
      box?.events.value.fire(value as never);
    }
    assert.deepEqual([searched, box?.['busy']], [[], false]);
    Object.assign(box ?? {}, { value: ' day ' });
    box?.events.value.fire(' day ' as never);
    await nextTurn();
    assert.deepEqual([searched, box?.['busy']], [['a'], true]);
    reading.resolve('the day after');
    await nextTurn();
    assert.deepEqual([rowsOf(box)[1]?.detail, box?.['busy']], ['the day after', false]);
    Object.assign(box ?? {}, { value: 'da' });
    box?.events.value.fire('da' as never);
    await nextTurn();
    assert.equal(rowsOf(box)[1]?.detail, undefined, 'and no more with fewer');
  });

  it('closes the list before it opens what was chosen, and nothing where a line between days was', async () => {
    await showHistory(service as never, noted('shown'), () => undefined);
    const [box] = editor.boxes;
    Object.assign(box ?? {}, { hide: () => void calls.push(['hidden']) });
    for (const selected of [itemsOf(box).slice(0, 1), itemsOf(box).slice(2)]) {
      Object.assign(box ?? {}, { selectedItems: selected });
      box?.events.accept.fire(undefined as never);
      await nextTurn();
    }
    assert.deepEqual(
      calls.map(([name]) => name),
      ['hidden', 'hidden', 'open', 'shown'],
    );
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
