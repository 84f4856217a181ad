import assert from 'node:assert/strict';
import { leavePage, usePage, type FakeElement } from '../../../support/editorStandIn/page.ts';
import './workerHook.ts';

usePage();
const { UserTurnView } = await import('../../../../src/chat/webview/userTurnView.ts');
leavePage();

const of = (element: unknown): FakeElement => element as FakeElement;

describe('a message of the user on the page', () => {
  before(usePage);
  after(leavePage);

  it('shows what is attached while the words beside it are edited', () => {
    const attachments = [{ label: 'rates.py', text: 'x' }];
    const turn = {
      role: 'user',
      id: 'u',
      parentId: null,
      text: 'why',
      attachments,
      toolResults: [],
      createdAtMs: 1,
    } as never;
    const actions = { begunEdit: () => undefined, keepEdit: () => undefined } as never;
    const element = of(new UserTurnView(turn, actions).element);
    const hidden = (): boolean[] => ['bubble', 'chips', 'plain'].map((name) => element.find(name).hidden);
    element.find('Edit and send again').does('click');
    assert.deepEqual(hidden(), [false, false, true]);
    element.find('edit-input').does('keydown', { key: 'Escape' });
    assert.deepEqual(hidden(), [false, false, false]);
  });
});
