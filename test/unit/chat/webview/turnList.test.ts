import assert from 'node:assert/strict';
import type { Conversation } from '../../../../src/chat/conversation.ts';
import type { ViewActions } from '../../../../src/chat/webview/viewActions.ts';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { useStillPage } from '../../../support/editorStandIn/stillPage.ts';
import { ended, held, said, started, user } from './chatBench.ts';
import { noTools } from './viewParts.ts';

usePage();
const { AnswerView } = await import('../../../../src/chat/webview/answerView.ts');
const { TurnList } = await import('../../../../src/chat/webview/turnList.ts');
leavePage();

describe('the messages on the page', () => {
  useStillPage();
  const { update } = AnswerView.prototype;
  /** Each drawing of an answer: whose it was, whether it is the last, and what else it was given. */
  let drawn: { id: string; isBusy: boolean; isLast: boolean; inputs?: readonly string[]; total?: unknown }[];
  let restInMs: Record<string, number>;
  beforeEach(() => {
    [drawn, restInMs] = [[], {}];
    AnswerView.prototype.update = function noted(...given) {
      const [{ id }, { isBusy, isLast, inputs, total }] = given;
      drawn.push({ id, isBusy, isLast, inputs, total: total?.count });
      update.apply(this, given);
      return restInMs[id] ?? 0;
    };
  });
  afterEach(() => {
    AnswerView.prototype.update = update;
  });
  let asked: string[] = [];
  const actions = new Proxy({} as ViewActions, {
    get: (_target, name: string) =>
      name === 'begunResults' ? () => [] : () => void (name.startsWith('begun') || asked.push(name)),
  });
  const talk = (...more: Parameters<typeof held>): Conversation =>
    held(
      user('u1', null, 'One?'),
      started('a1', 'u1'),
      said('a1', 'One.', { finishReason: 'stop' }),
      ended('a1'),
      user('u2', 'a1', 'Two?'),
      started('a2', 'u2'),
      said('a2', 'Two.', { finishReason: 'stop' }),
      ended('a2'),
      ...more,
    );
  const ids = (): string =>
    drawn
      .splice(0)
      .map(({ id, isLast }) => (isLast ? `${id}!` : id))
      .join(' ');

  it('are drawn from the newest on, and again only where something of them is another', () => {
    const list = new TurnList(actions);
    const conversation = talk();
    list.update(conversation, { tools: noTools });
    assert.equal(ids(), 'a2! a1');
    const elements = [...of(list.element).children];
    list.update({ ...conversation }, { tools: noTools });
    assert.equal(ids(), '', 'nothing has changed');
    list.update(conversation, { tools: { ...noTools, isOn: true } });
    assert.equal(ids(), 'a2!', 'what can be done is shown at the last');
    list.update(conversation, { tools: { ...noTools, isOn: true, isUnderWay: true } });
    assert.equal(ids(), 'a2! a1', 'nothing can be asked for anew meanwhile');
    const wait = { failure: { kind: 'server', message: 'm' }, attempt: 1, waitUntilMs: 5, giveUpAtMs: 9 };
    list.update(conversation, { tools: noTools, wait });
    assert.equal(ids(), 'a2! a1');
    list.update(conversation, { tools: noTools, wait: { ...wait, waitUntilMs: 6 } });
    assert.equal(ids(), 'a2! a1');
    assert.deepEqual([...of(list.element).children], elements, 'they are the same elements');
  });

  it('are the newest fifty of a long conversation, with fifty more each time that they are asked for', () => {
    const list = new TurnList(actions);
    const long = (count: number): Conversation =>
      held(...Array.from({ length: count }, (_, at) => user(`u${at}`, at === 0 ? null : `u${at - 1}`, `No. ${at}.`)));
    const shown = (): (string | undefined)[] => {
      const texts = of(list.element)
        .children.slice(1)
        .map((each) => /No\. \d+/.exec(of(each).textContent)?.[0]);
      return [texts.at(0), texts.at(-1), `${texts.length}`];
    };
    const earlier = of(list.element).find('earlier');
    list.update(long(50), { tools: noTools });
    assert.deepEqual([earlier.hidden, shown()], [true, ['No. 0', 'No. 49', '50']]);
    list.update(long(51), { tools: noTools });
    assert.deepEqual([earlier.hidden, earlier.textContent], [false, 'Show 1 earlier message']);
    assert.deepEqual(shown(), ['No. 1', 'No. 50', '50']);
    list.update(long(151), { tools: noTools });
    assert.equal(earlier.textContent, 'Show 101 earlier messages');
    asked = [];
    earlier.does('click');
    assert.deepEqual([shown(), asked], [['No. 51', 'No. 150', '100'], ['redraw']]);
    // Whoever finds nothing yet to look through does not ask for more without end.
    assert.equal(new TurnList(actions).showEarlier(), false);
    assert.equal(list.showEarlier(), true);
    assert.deepEqual([shown(), earlier.textContent], [['No. 1', 'No. 150', '150'], 'Show 1 earlier message']);
    assert.equal(list.showEarlier(), false);
    assert.deepEqual([earlier.hidden, shown()], [true, ['No. 0', 'No. 150', '151']]);
    list.update({ ...long(151), id: 'other' }, { tools: noTools });
    assert.deepEqual(shown(), ['No. 101', 'No. 150', '50'], 'another conversation begins with its newest');
  });
});
