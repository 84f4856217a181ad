import assert from 'node:assert/strict';
import type { UserTurn } from '../../../../src/chat/conversation.ts';
import { elementLine, of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, usePage, type FakeElement } from '../../../support/editorStandIn/page.ts';
import { settle } from '../../../support/fakeClock.ts';
import { holdTrail } from '../../../support/trail.ts';
import { notedIn, userTurn } from './viewParts.ts';
import './workerHook.ts';

usePage();
const { UserTurnView } = await import('../../../../src/chat/webview/userTurnView.ts');
leavePage();

describe('a message of the user on the page', () => {
  holdTrail(import.meta.url);
  before(usePage);
  after(leavePage);

  it('shows what is attached while the words beside it are edited', () => {
    const turn = userTurn({ attachments: [{ label: 'rates.py', text: 'x' }] });
    const actions = { begunEdit: () => undefined, keepEdit: () => undefined } as never;
    const element = of(new UserTurnView(turn, actions).element);
    const hidden = (): boolean[] => ['bubble', 'chips', 'plain'].map((name) => element.find(name).hidden);
    element.find('Edit and resend').does('click');
    assert.deepEqual(hidden(), [false, false, true]);
    element.find('edit-input').does('keydown', { key: 'Escape' });
    assert.deepEqual(hidden(), [false, false, false]);
  });

  const sized = [
    { label: 'rates.py', text: 'x'.repeat(2048), language: 'python' },
    { label: 'b.txt', text: 'y' },
  ];
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
  const focused = (): string | null => of(document.activeElement).getAttribute('aria-label');

  it('is words, what goes with them, and what can be done with both', () => {
    assert.match(
      elementLine(made({ attachments: sized }).element),
      /^article\.turn\.user \[aria-label=You\]\{div\.bubble\{div\.chips\{/,
    );
    const chips = made({ attachments: sized }).element.find('chips');
    assert.deepEqual(
      chips.children.map((chip) => elementLine(chip)),
      [
        `details.chip{summary{span.chip-label{rates.py} |   | span.size{2 KB}} | pre [aria-label=rates.py] [role=group] [tabindex=0]{${'x'.repeat(2048)}}}`,
        'details.chip{summary{span.chip-label{b.txt} |   | span.size{0.1 KB}} | pre [aria-label=b.txt] [role=group] [tabindex=0]{y}}',
      ],
    );
    assert.equal(elementLine(made().element.find('bubble')), 'div.bubble{div.plain{why}}');
    // Attached without a word, and results of calls, which are no message.
    const [attached, results] = [made({ text: '', attachments: sized }), made({ text: '' })];
    assert.deepEqual([attached.element.className, attached.element.hidden], ['turn user', false]);
    assert.equal(attached.element.find('bubble').children.length, 1);
    assert.deepEqual([results.element.className, results.element.hidden], ['turn results', true]);
  });

  it('is copied, and its variants are gone through', () => {
    const { view, turn, element } = made();
    const copy = element.find('Copy');
    copy.does('click');
    assert.deepEqual([calls, copy.getAttribute('aria-label')], [[['copy', 'why']], 'Copied']);
    assert.equal(
      view.update(turn, { variants: [{ id: 'before' }, { id: 'u' }, { id: 'after' }] as never, isBusy: false }),
      0,
    );
    assert.equal(element.find('pager-label').textContent, '2/3');
    element.find('Next variant').does('click');
    element.find('Previous variant').does('click');
    assert.deepEqual(calls.slice(1), [
      ['select', 'after'],
      ['select', 'before'],
    ]);
    assert.equal(element.find('pager').hidden, false);
  });

  it('is not edited while an answer is written, and keeps the focus', () => {
    const { view, turn, element } = made();
    const edit = element.find('Edit and resend');
    view.update(turn, { variants: [], isBusy: true });
    assert.equal(edit.getAttribute('aria-disabled'), 'true');
    edit.does('click');
    assert.equal(element.querySelectorAll('textarea').length, 0);
    view.update(turn, { variants: [], isBusy: false });
    assert.equal(edit.getAttribute('aria-disabled'), 'false');
    edit.does('click');
    assert.deepEqual([element.querySelectorAll('textarea').length, focused()], [1, 'Edit and resend']);
    assert.equal(of(document.activeElement).tag, 'textarea');
  });

  it('is edited in place: kept as it is typed, sent with Enter, given up with Escape', async () => {
    const { element } = made();
    const [edit, tools, bubble] = ['Edit and resend', 'turn-tools', 'bubble'].map((name) => element.find(name));
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
    element.find('Resend').does('click');
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

  it('has as many lines as it needs, two to twelve', () => {
    const rows = (lines: number): number => {
      const { element } = made({ text: Array.from({ length: lines }, () => 'x').join('\n') });
      element.find('Edit and resend').does('click');
      return element.find('edit-input').rows;
    };
    assert.deepEqual([1, 2, 3, 12, 13].map(rows), [2, 2, 3, 12, 12]);
  });

  it('goes on with words that were begun before the page was made anew, empty ones too', () => {
    assert.equal(made({ parentId: 'p' }, 'half').element.find('edit-input').value, 'half');
    assert.equal(made({}, 'half').element.find('edit-input').value, 'half');
    assert.equal(made({}, '').element.find('edit-input').value, '');
    assert.equal(made().element.querySelectorAll('textarea').length, 0);
  });
});
