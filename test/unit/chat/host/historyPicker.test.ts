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
