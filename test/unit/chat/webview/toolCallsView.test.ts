import assert from 'node:assert/strict';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, page, usePage } from '../../../support/editorStandIn/page.ts';
import { answer, choice, notedIn, noTools } from './viewParts.ts';

usePage();
const { ToolCallsView } = await import('../../../../src/chat/webview/toolCallsView.ts');
leavePage();

describe('the tool calls of an answer', () => {
  let calls: unknown[][];
  let begun: readonly string[];
  let view: InstanceType<typeof ToolCallsView>;
  const noted = notedIn(() => calls);
  const texts = (tag: string): string[] =>
    of(view.element)
      .all()
      .filter((part) => part.tag === tag)
      .map((part) => part.textContent);
  const called = (args: string, more: object = {}): ReturnType<typeof choice> =>
    choice({ toolCalls: [{ index: 0, id: 'c', name: 'f', arguments: args, ...more }] as never });
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    [calls, begun] = [[], []];
    view = new ToolCallsView({
      sendToolResults: noted('results'),
      runTools: noted('run'),
      keepResults: noted('kept'),
      begunResults: () => begun,
      openRun: noted('open'),
    } as never);
  });

  it('are offered to be done only where every one is built in, and decided on at the answer that asks', () => {
    const done = answer({ status: 'done' });
    const tools = { ...noTools, names: ['f'], isOn: true };
    view.update(done, called('{}'), true, tools);
    assert.deepEqual(texts('button'), ['Run', 'Send Results']);
    const two = choice({
      toolCalls: ['f', 'g'].map((name, index) => ({ index, id: name, name, arguments: '{}' })) as never,
    });
    view.update(done, two, true, tools);
    assert.deepEqual([texts('button'), texts('textarea').length], [['Send Results'], 2]);
    // While another answer's changes are to be decided, this one starts nothing.
    view.update(done, called('{}'), true, { ...tools, offer: { answerId: 'other', changes: ['Run "x"'] } });
    assert.deepEqual(texts('button'), ['Send Results']);
    view.update(done, called('{}'), true, { ...tools, offer: { answerId: 'a', changes: ['Run "x"'] } });
    assert.deepEqual(texts('button'), ['Allow', 'Decline', 'Send Results']);
    view.update(done, called('{}'), true, { ...tools, isUnderWay: true });
    assert.deepEqual([texts('button'), texts('summary')], [[], ['f is under way']]);
  });

  const two = choice({
    toolCalls: ['f', 'g'].map((name, index) => ({
      index,
      id: index === 0 ? 'c' : undefined,
      name,
      arguments: '{"a":1}',
    })) as never,
  });

  it('are done, or declined, by the buttons that say so', () => {
    const done = answer({ status: 'done' });
    const tools = { ...noTools, names: ['f', 'g'], isOn: true };
    const press = (name: string): unknown[][] => {
      of(view.element).find(name).does('click');
      return calls.splice(0);
    };
    view.update(done, two, true, tools);
    assert.deepEqual(press('Run'), [['run', 'a', false]]);
    view.update(done, two, true, { ...tools, offer: { answerId: 'a', changes: ['Run "x"'] } });
    assert.deepEqual(press('Allow'), [['run', 'a', true]]);
    assert.deepEqual(press('Decline'), [['run', 'a', false]]);
  });

  it('are answered each with its own result, and with an empty one only where that is said', () => {
    const done = answer({ status: 'done' });
    view.update(done, two, true, noTools);
    const inputs = of(view.element)
      .all()
      .filter(({ tag }) => tag === 'textarea');
    const [first, second] = inputs;
    assert.ok(first && second);
    const invalid = (): unknown[] => inputs.map((input) => input.getAttribute('aria-invalid'));
    first.value = 'one';
    of(view.element).find('Send Results').does('click');
    assert.deepEqual([calls, page.activeElement, invalid()], [[], second, ['false', 'true']]);
    of(view.element).find('Send Results').does('click');
    assert.deepEqual(calls, [], 'the same button does not mean an empty result');
    of(view.element).find('Send Empty Results').does('click');
    const [[, sent] = []] = calls.splice(0) as [unknown, { toolCallId: string; name: string; content: string }[]][];
    assert.deepEqual(
      sent?.map(({ name, content }) => [name, content]),
      [
        ['f', 'one'],
        ['g', ''],
      ],
    );
    assert.equal(sent?.[0]?.toolCallId, 'c');
    assert.notEqual(sent?.[1]?.toolCallId ?? '', '', 'a call without an id gets one');
    second.value = 'two';
    of(view.element).find('Send Results').does('click');
    const [[, again] = []] = calls as [unknown, { content: string }[]][];
    assert.deepEqual(
      again?.map(({ content }) => content),
      ['one', 'two'],
    );
  });
});
