import assert from 'node:assert/strict';
import { page } from '../../../support/editorStandIn/page.ts';
import { chatBench, held, said, started, user } from './chatBench.ts';

describe("the chat's page, as it is drawn", () => {
  const { snapshot, open, asked, say, press } = chatBench();

  it('has the focus in the prompt once what had it is hidden or gone, and leaves it where it is otherwise', async () => {
    const begun = snapshot(held(user('u1', null, 'Why?')), {}, { sequence: 2 });
    const recent = [{ id: 'a', title: 'T', updatedAtMs: 1, isWriting: false, isUnread: false }];
    for (const [name, isTaken] of [
      ['recent-item', true],
      ['endpoint', false],
    ] as const) {
      const chat = await open(snapshot(null, { recent }));
      const place = chat.find(name);
      place.focus();
      say({ type: 'snapshot', snapshot: begun });
      assert.equal(page.activeElement, isTaken ? chat.find('prompt') : place, name);
    }
  });

  it('stops no answer with the Escape that closes a list', async () => {
    const chat = await open(snapshot(held(user('u', null, 'Q'), started('a', 'u'), said('a', 'x'))));
    const select = page.createElement('select');
    const option = page.createElement('option');
    select.append(option);
    chat.append(select);
    page.activeElement = option;
    press(option, { key: 'Escape' });
    assert.deepEqual(asked(), []);
    page.activeElement = select;
    press(select, { key: 'Escape' });
    assert.deepEqual(asked(), [['stop']]);
  });
});
