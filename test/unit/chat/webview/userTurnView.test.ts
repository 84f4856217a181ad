import assert from 'node:assert/strict';
import type { UserTurn } from '../../../../src/chat/conversation.ts';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, usePage, type FakeElement } from '../../../support/editorStandIn/page.ts';
import { settle } from '../../../support/fakeClock.ts';
import { notedIn, userTurn } from './viewParts.ts';
import './workerHook.ts';

usePage();
const { UserTurnView } = await import('../../../../src/chat/webview/userTurnView.ts');
leavePage();

describe('a message of the user on the page', () => {
  before(usePage);
  after(leavePage);

  let calls: unknown[][];
  let isSent: boolean;
  const made = (change: Partial<UserTurn> = {}, begun?: string) => {
    calls = [];
    isSent = true;
    const noted = notedIn(() => calls);
    const turn = userTurn(change);
    const view = new UserTurnView(turn, {
      begunEdit: (id: string) => (id === 'u' ? begun : 'another'),
      keepEdit: noted('keep'),
      copy: noted('copy'),
      selectVariant: noted('select'),
      editAndResend: (...given: unknown[]) => {
        noted('send')(...given);
        return Promise.resolve(isSent);
      },
    } as never);
    return { view, turn, element: of(view.element) };
  };
  it('is edited in place: kept as it is typed, sent with Enter, given up with Escape', async () => {
    const { element } = made();
    const [edit, tools, bubble] = ['Edit and send again', 'turn-tools', 'bubble'].map((name) => element.find(name));
    const begin = (): FakeElement => {
      edit?.does('click');
      return element.find('edit-input');
    };
    const input = begin();
    assert.deepEqual([input.value, input.rows, tools?.hidden, bubble?.hidden], ['why', 2, true, true]);
    input.value = 'why not';
    input.does('input');
    assert.deepEqual(calls, [['keep', 'u', 'why not']]);
    // While a word is composed, the keys belong to that; with shift a line begins.
    assert.deepEqual(
      [
        input.does('keydown', { key: 'Enter', isComposing: true }),
        input.does('keydown', { key: 'Escape', isComposing: true }),
        input.does('keydown', { key: 'Enter', shiftKey: true }),
        input.does('keydown', { key: 'a' }),
      ],
      [false, false, false, false],
    );
    assert.equal(calls.length, 1);
    // What could not be sent stays.
    isSent = false;
    assert.equal(input.does('keydown', { key: 'Enter' }), true);
    await settle();
    assert.deepEqual(
      [calls.splice(1), input.isConnected || element.contains(input)],
      [[['send', 'u', 'why not']], true],
    );
    isSent = true;
    element.find('Send again').does('click');
    await settle();
    assert.deepEqual(calls.splice(1), [
      ['send', 'u', 'why not'],
      ['keep', 'u', undefined],
    ]);
    assert.deepEqual([element.contains(input), tools?.hidden, bubble?.hidden], [false, false, false]);
    assert.ok(of(document.activeElement) === edit);
    // Another time it begins with what was sent before it, and Escape goes no further than here.
    const again = begin();
    assert.equal(again.value, 'why');
    let isHeard = false;
    element.addEventListener('keydown', () => (isHeard = true));
    again.does('keydown', { key: 'Escape' });
    assert.deepEqual([isHeard, element.contains(again), calls.at(-1)], [false, false, ['keep', 'u', undefined]]);
    const third = begin();
    element.find('Cancel').does('click');
    assert.deepEqual([element.contains(third), calls.at(-1)], [false, ['keep', 'u', undefined]]);
  });
});
