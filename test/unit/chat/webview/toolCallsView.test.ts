import assert from 'node:assert/strict';
import { assertApproved } from '../../../support/approved.ts';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { outline } from '../../../support/editorStandIn/outline.ts';
import { leavePage, page, usePage } from '../../../support/editorStandIn/page.ts';
import { holdTrail } from '../../../support/trail.ts';
import { answer, choice, notedIn, noTools } from './viewParts.ts';

usePage();
const { ToolCallsView } = await import('../../../../src/chat/webview/toolCallsView.ts');
leavePage();

describe('the tool calls of an answer', () => {
  holdTrail(import.meta.url);
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

  it('grow with what comes, and are those of the choice that is shown', () => {
    const draw = (of: ReturnType<typeof choice>): string[] => {
      view.update(answer(), of, true, noTools);
      return [...texts('summary'), ...texts('pre')];
    };
    assert.deepEqual(draw(choice()), []);
    assert.deepEqual(draw(called('{"a"')), ['Calls f', '{"a"']);
    assert.deepEqual(draw(called('{"a":1')), ['Calls f', '{"a":1']);
    assert.deepEqual(draw(called('{"a":1', { name: 'f2' })), ['Calls f2', '{"a":1']);
    assert.deepEqual(draw({ ...called('{"b":2', { name: 'f2' }), choice: 1 }), ['Calls f2', '{"b":2']);
    // An answer that calls nothing asks for nothing.
    for (const none of [undefined, choice()]) {
      view.update(answer({ status: 'done' }), none, true, noTools);
      assert.deepEqual([texts('summary'), texts('button')], [[], []]);
    }
  });

  it('that were done are told with what they were given, in few words', () => {
    const given = (args: string): string => {
      const result = { toolCallId: 'c', name: 'f', content: '{}' };
      view.update(answer({ status: 'done' }), called(args), false, noTools, [result]);
      return of(view.element).find('size').textContent;
    };
    assert.deepEqual(
      ['{"a":"x","b":[1],"c":null,"d":7,"e":{}}', `{"a":"${'x'.repeat(60)}"}`, `{"a":"${'x'.repeat(61)}"}`, '{"a"'].map(
        given,
      ),
      ['x, 7', 'x'.repeat(60), 'x'.repeat(60), ''],
    );
  });

  it('that were done, declined or failed are told apart', () => {
    const shown = ['{"runs":[]}', '{"declined":"no"}', '{"error":"no"}', '{"a":"{\\"error\\""}'].map((content) => {
      view.update(answer({ status: 'done' }), called('{}', { id: `c${content}` }), false, noTools, [
        { toolCallId: `c${content}`, name: 'f', content },
      ]);
      const call = of(view.element).find('tool-call');
      return [call.className, call.find('summary').textContent];
    });
    assert.deepEqual(shown, [
      ['tool-call done', 'f'],
      ['tool-call declined', 'f declined'],
      ['tool-call failed', 'f failed'],
      ['tool-call done', 'f'],
    ]);
  });

  it('leave what the user has begun alone while nothing changes, and keep it', () => {
    const done = answer({ status: 'done' });
    begun = ['so far'];
    view.update(done, called('{}'), true, noTools);
    const input = of(view.element).find('textarea');
    assert.equal(input.value, 'so far');
    input.value = 'more';
    input.does('input');
    assert.deepEqual(calls, [['kept', 'a', ['more']]]);
    view.update(done, called('{}'), true, noTools);
    assert.equal(of(view.element).find('textarea'), input);
    view.update(done, called('{}', { id: 'd' }), true, noTools);
    assert.notEqual(of(view.element).find('textarea'), input);
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

  it('have an end, however many a model makes', () => {
    const many = Array.from({ length: 150 }, (_, index) => ({ index, id: `${index}`, name: 'f', arguments: '{}' }));
    view.update(answer({ status: 'done' }), choice({ toolCalls: many as never }), true, noTools);
    assert.deepEqual([texts('pre').length, texts('textarea').length], [100, 100]);
    view.update(answer(), called(`"${'x'.repeat(50_000)}"`), true, noTools);
    const [shown = ''] = texts('pre');
    assert.ok(shown.length > 10_000 && shown.length < 30_000, `${shown.length}`);
  });

  const two = choice({
    toolCalls: ['f', 'g'].map((name, index) => ({
      index,
      id: index === 0 ? 'c' : undefined,
      name,
      arguments: '{"a":1}',
    })) as never,
  });

  it('are told with what is called, what it changes, and what can be done about it', () => {
    const done = answer({ status: 'done' });
    const tools = { ...noTools, names: ['f', 'g'], isOn: true };
    const offer = { answerId: 'a', changes: ['Run "x"', 'Cancel "y"'] };
    const states: Record<string, Parameters<typeof view.update>> = {
      'still coming': [answer(), called('{"a'), true, tools],
      'whole, of others': [done, two, true, noTools],
      'of an earlier answer': [done, two, false, tools],
      'of an answer that was stopped': [answer({ status: 'stopped' }), two, true, tools],
      'built in': [done, two, true, tools],
      'to be decided': [done, two, true, { ...tools, offer }],
      'with another change': [done, two, true, { ...tools, offer: { ...offer, changes: ['Run "z"'] } }],
      'decided on elsewhere': [done, two, true, { ...tools, offer: { ...offer, answerId: 'b' } }],
      'under way': [done, two, true, { ...tools, isUnderWay: true }],
    };
    const shown = Object.entries(states).map(([name, given]) => {
      view.update(...given);
      return `${name}\n${outline(view.element, 1)}`;
    });
    const results = [
      { toolCallId: 'c', name: 'f', content: '{"error":"no"}' },
      { toolCallId: 'c', content: '{"a":1}', runs: [{ label: 'Run 1', isBad: true }] },
      { toolCallId: 'c', name: 'f', content: 'text', runs: [{ label: 'Run 1' }, { label: 'Run 2' }] },
    ].map((result) => {
      view.update(done, called('{"b":2}'), false, tools, [result] as never);
      view.update(done, choice(), false, tools);
      view.update(done, called('{"b":2}'), false, tools, [result] as never);
      return outline(view.element, 1);
    });
    assertApproved('chat-tool-calls', [...shown, 'results\n', ...results].join(''));
  });

  it('have each its own result, though a model gives them one id, and show what belongs to none of them', () => {
    const twice = choice({
      toolCalls: ['f', 'g'].map((name, index) => ({ index, id: 'c', name, arguments: '{}' })) as never,
    });
    view.update(answer({ status: 'done' }), twice, false, noTools, [
      { toolCallId: 'c', name: 'f', content: 'one' },
      { toolCallId: 'c', name: 'g', content: 'two' },
      { toolCallId: 'other', content: 'three' },
    ]);
    assert.deepEqual(texts('summary'), ['f', 'g', 'other']);
    assert.deepEqual(texts('pre'), ['{}', 'one', '{}', 'two', 'three']);
  });

  it('lead from each run to that run', () => {
    const runs = ['1', '2'].map((runId) => ({ label: `Run ${runId}`, runId }));
    view.update(answer({ status: 'done' }), called('{}'), false, noTools, [
      { toolCallId: 'c', content: '', runs },
    ] as never);
    of(view.element).find('Run 2').does('click');
    assert.deepEqual(calls, [['open', runs[1]]]);
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
