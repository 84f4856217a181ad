import assert from 'node:assert/strict';
import type { Conversation } from '../../../../src/chat/conversation.ts';
import type { ViewActions } from '../../../../src/chat/webview/viewActions.ts';
import { leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { ended, held, said, started, user } from './chatBench.ts';
import { noTools, of } from './viewParts.ts';

usePage();
const { AnswerView } = await import('../../../../src/chat/webview/answerView.ts');
const { TurnList } = await import('../../../../src/chat/webview/turnList.ts');
leavePage();

describe('the messages on the page', () => {
  before(usePage);
  after(leavePage);
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
  const actions = new Proxy({} as ViewActions, {
    get: (_target, name: string) => (name === 'begunResults' ? () => [] : () => undefined),
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

  it('are drawn again while one of them is behind, after the longest time that one asks for', () => {
    const list = new TurnList(actions);
    const conversation = talk();
    restInMs = { a1: 30, a2: 20 };
    assert.equal(list.update(conversation, { tools: noTools }), 30);
    drawn.length = 0;
    restInMs = { a1: 10 };
    assert.equal(list.update(conversation, { tools: noTools }), 10);
    assert.equal(ids(), 'a2! a1');
    restInMs = {};
    assert.equal(list.update(conversation, { tools: noTools }), 0);
    assert.equal(ids(), 'a1', 'the other one was through');
    assert.equal(list.update(conversation, { tools: noTools }), 0);
    assert.equal(ids(), '');
  });

  it('tell what all cost at the last, and of a playground what each was asked', () => {
    const list = new TurnList(actions);
    list.update(talk(), { tools: noTools });
    assert.deepEqual(
      drawn.splice(0).map(({ id, total, inputs }) => [id, total !== undefined, inputs]),
      [
        ['a2', true, undefined],
        ['a1', false, undefined],
      ],
    );
    const playground = new TurnList(actions);
    playground.update({ ...talk(), id: 'p', task: 'completion' }, { tools: noTools });
    assert.deepEqual(
      drawn.splice(0).map(({ id, inputs }) => [id, inputs]),
      [
        ['a2', ['Two?']],
        ['a1', ['One?']],
      ],
    );
  });

  it('are taken away where they are no more, and stand in their order', () => {
    const list = new TurnList(actions);
    const all = talk();
    list.update(all, { tools: noTools });
    const shown = (): string[] =>
      of(list.element)
        .children.slice(1)
        .map((each) => /One\?|One\.|Two\?|Two\./.exec(of(each).textContent)?.[0] ?? '');
    assert.deepEqual(shown(), ['One?', 'One.', 'Two?', 'Two.']);
    list.update({ ...all, turns: all.turns.slice(0, 2) }, { tools: noTools });
    assert.deepEqual(shown(), ['One?', 'One.']);
    list.update(all, { tools: noTools });
    assert.deepEqual(shown(), ['One?', 'One.', 'Two?', 'Two.']);
    list.update({ ...all, id: 'other', turns: all.turns.slice(0, 1) }, { tools: noTools });
    assert.deepEqual(shown(), ['One?']);
  });
});
