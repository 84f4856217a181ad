import assert from 'node:assert/strict';
import type { Answer, Choice, totalUsage } from '../../../../src/chat/conversation.ts';
import type { Failure, PlaygroundTask } from '../../../../src/chat/conversationEvent.ts';
import type { ViewState } from '../../../../src/chat/protocol.ts';
import type { ViewActions } from '../../../../src/chat/webview/viewActions.ts';
import { assertApproved } from '../../../support/approved.ts';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { outline } from '../../../support/editorStandIn/outline.ts';
import { type FakeElement, leavePage, page, usePage } from '../../../support/editorStandIn/page.ts';
import { useStillPage } from '../../../support/editorStandIn/stillPage.ts';
import { holdTrail } from '../../../support/trail.ts';
import { answer, choice, notedIn, noTools } from './viewParts.ts';
import './workerHook.ts';

usePage();
const { AnswerView } = await import('../../../../src/chat/webview/answerView.ts');
leavePage();

describe('an answer on the page', () => {
  holdTrail(import.meta.url);
  let calls: unknown[][];
  let ticks: { work: () => void; everyMs: number }[];
  let cleared: number[];
  useStillPage();
  const noted = notedIn(() => calls);
  beforeEach(() => {
    [calls, ticks, cleared] = [[], [], []];
    Object.assign(window, {
      setInterval: (work: () => void, everyMs: number) => ticks.push({ work, everyMs }) + 70,
      clearInterval: (id: number) => void cleared.push(id),
    });
  });
  let limit: number | undefined;
  const actions = new Proxy({} as ViewActions, {
    get: (_target, name: string) =>
      name === 'maxTokens'
        ? () => limit
        : name === 'begunResults'
          ? () => []
          : name.startsWith('begun')
            ? () => undefined
            : noted(name),
  });
  interface Beside {
    isBusy?: boolean;
    isLast?: boolean;
    wait?: ViewState['wait'];
    total?: ReturnType<typeof totalUsage>;
    inputs?: readonly string[];
    task?: PlaygroundTask;
    variants?: readonly Answer[];
  }
  const draw = (turn: Answer, beside: Beside = {}) => {
    const view = new AnswerView(turn, actions, beside.task);
    const show = (next: Answer, more: Beside = {}): number => {
      const { isBusy = false, isLast = true, variants = [next], ...rest } = { ...beside, ...more };
      return view.update(next, { variants, isBusy, isLast, untilMs: Infinity, tools: noTools, ...rest });
    };
    show(turn);
    return { view, show, element: of(view.element) };
  };
  const ended = (change: Partial<Answer> = {}, words: Partial<Choice> = {}): Answer =>
    answer({
      status: 'done',
      createdAtMs: 1000,
      firstAtMs: 1500,
      endedAtMs: 3000,
      choices: [choice({ text: 'Yes.', finishReason: 'stop', ...words })],
      ...change,
    });
  const failure: Failure = { kind: 'server', message: 'It failed.', remedy: 'Try again.' };
  const outcomeOf = (element: FakeElement): string => element.find('outcome').textContent;
  const buttons = (element: FakeElement): FakeElement[] => element.all().filter(({ tag }) => tag === 'button');

  it('says how it ended and what it cost, in every way that it can', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 };
    const call = { index: 0, id: 'c', name: 'f', arguments: '{}' };
    const all: Record<string, [Answer, Beside?]> = {
      done: [ended({ usage })],
      'done, not the last': [ended({ usage }), { isLast: false }],
      'done, of several': [ended({ usage }), { total: { count: 2, usage: { ...usage, total_tokens: 1234 } } }],
      'done, of one': [ended({ usage }), { total: { count: 1, usage } }],
      'without usage': [ended()],
      'without a first word': [ended({ usage, firstAtMs: undefined })],
      'in one piece': [ended({ usage, parameters: { stream: false } })],
      'without an end': [ended({ usage, endedAtMs: undefined })],
      empty: [ended({}, { text: '' })],
      'too long': [ended({}, { finishReason: 'length' })],
      'too long and empty': [ended({}, { finishReason: 'length', text: '' })],
      'too long, not the last': [ended({}, { finishReason: 'length' }), { isLast: false }],
      filtered: [ended({}, { finishReason: 'content_filter' })],
      'with calls': [ended({}, { finishReason: 'tool_calls', toolCalls: [call] })],
      'with calls alone, not the last': [
        ended({}, { text: '', finishReason: 'tool_calls', toolCalls: [call] }),
        { isLast: false },
      ],
      'with calls and words, not the last': [
        ended({}, { finishReason: 'tool_calls', toolCalls: [call] }),
        { isLast: false },
      ],
      'for no reason': [ended({}, { finishReason: '' })],
      'for another reason': [ended({}, { finishReason: 'x'.repeat(200) })],
      stopped: [ended({ status: 'stopped' })],
      'stopped, empty': [ended({ status: 'stopped' }, { text: '' })],
      'stopped without an end': [ended({ status: 'stopped', endedAtMs: undefined })],
      'cut off': [ended({ status: 'cutOff', failure: { ...failure, kind: 'cutOff', details: 'more' } })],
      'cut off by an error': [ended({ status: 'cutOff', failure: { ...failure, details: 'more' } })],
      'cut off, unknown': [ended({ status: 'cutOff' })],
      failed: [ended({ status: 'failed', failure, choices: [] })],
      'asked of what is not there': [
        ended({ status: 'failed', failure: { ...failure, kind: 'notFound' }, choices: [] }),
      ],
      'not allowed': [ended({ status: 'failed', failure: { ...failure, kind: 'forbidden' }, choices: [] })],
      'failed, unknown': [ended({ status: 'failed', choices: [] })],
      'not signed in': [ended({ status: 'failed', failure: { ...failure, kind: 'unauthenticated' }, choices: [] })],
      'a completion': [ended({ usage }), { task: 'completion', inputs: ['ask'] }],
      'a completion that was stopped': [ended({ status: 'stopped' }), { task: 'completion', inputs: ['ask'] }],
      'a vector': [ended({ usage }, { text: '[1,2]' }), { task: 'embedding', inputs: ['ask'] }],
    };
    const texts = Object.entries(all).map(([name, [turn, beside]]) => {
      const { element } = draw(turn, beside);
      const tools = element.find('turn-tools');
      return `${name}\n${outline(element.find('outcome'))}${tools.hidden ? 'no tools\n' : outline(element.find('usage'))}\n`;
    });
    limit = 256;
    texts.push(`with a limit\n${outline(draw(ended({}, { finishReason: 'length' })).element.find('outcome'))}`);
    limit = undefined;
    assertApproved('chat-answers', texts.join(''));
  });

  it('has its tools unless it only called functions and something came after it', () => {
    const toolCalls = [{ index: 0, id: 'c', name: 'f', arguments: '{}' }];
    const isHidden = (words: Partial<Choice>, isLast: boolean): boolean =>
      draw(ended({}, words), { isLast }).element.find('turn-tools').hidden;
    assert.deepEqual(
      [isHidden({ text: '', toolCalls }, false), isHidden({ text: '', toolCalls }, true)],
      [true, false],
    );
    for (const words of [{ text: 'Look.', toolCalls }, { text: '' }]) assert.equal(isHidden(words, false), false);
  });

  it('goes on in the elements that are there, and begins anew for another choice alone', () => {
    const choices = [choice({ choice: 0, text: 'One.' }), choice({ choice: 1, text: 'Two.' })];
    const { element, show } = draw(answer({ choices }));
    const text = element.find('markdown');
    show(answer({ choices: [choice({ choice: 0, text: 'One. More.' }), choices[1] as Choice] }));
    assert.equal(element.find('markdown'), text);
    show(answer({ choices, shownChoice: 1 }));
    assert.notEqual(element.find('markdown'), text);
    assert.match(element.find('markdown').textContent, /Two\./);
  });

  it('does what its buttons say, for this answer', () => {
    const press = (turn: Answer, name: string, beside: Beside = {}): unknown[][] => {
      calls = [];
      const { element } = draw(turn, beside);
      const places = [element.find('turn-tools'), element.find('outcome'), element];
      const found = places
        .flatMap(buttons)
        .find((button) => button.textContent === name || button.getAttribute('aria-label') === name);
      assert.ok(found, `${name} is not there`);
      found.does('click');
      if (name === 'Copy') assert.equal(found.getAttribute('aria-label'), 'Copied');
      return calls;
    };
    assert.deepEqual(press(ended(), 'Copy'), [['copy', 'Yes.']]);
    assert.deepEqual(press(ended({}, { text: '<think>Hm.</think>Yes.' }), 'Copy'), [['copy', 'Yes.']]);
    assert.deepEqual(press(ended(), 'Regenerate'), [['regenerate', 'a']]);
    assert.deepEqual(press(ended(), 'Regenerate', { isBusy: true }), []);
    assert.deepEqual(press(ended(), 'Request and response…'), [['more', 'a']]);
    const failed = ended({ status: 'failed', failure, choices: [] });
    assert.deepEqual(press(failed, 'Other Endpoint'), [['askElsewhere', 'a']]);
    assert.deepEqual(
      press(
        ended({ status: 'failed', failure: { ...failure, kind: 'unauthenticated' }, choices: [] }),
        'Sign In Again',
      ),
      [['signIn']],
    );
    assert.equal(press(ended({ status: 'stopped' }), 'Continue')[0]?.[0], 'ask');
    const two = [choice({ choice: 0, text: 'One.' }), choice({ choice: 1, text: 'Two.' })];
    assert.deepEqual(press(ended({ choices: two }), '2'), [['selectChoice', 'a', 1]]);
    const completions = ended({ choices: two });
    assert.deepEqual(press(completions, 'Copy', { task: 'completion', inputs: ['x'] }), [['copy', 'One.\n\nTwo.']]);
    const waiting = answer({ choices: [] });
    const wait = { failure, attempt: 1, waitUntilMs: Date.now() + 20_000, giveUpAtMs: Date.now() + 60_000 };
    for (const [name, ...expected] of [
      ['Retry Now', 'retryNow'],
      ['Stop', 'stop'],
      ['Other Endpoint', 'askElsewhere', 'a'],
    ])
      assert.deepEqual(press(waiting, name ?? '', { wait }), [expected]);
  });

  it('shows its alternatives with the one that is chosen, and draws the text of that one', () => {
    const two = [
      choice({ choice: 0, text: 'One.', finishReason: 'stop' }),
      choice({ choice: 1, text: 'Two.', finishReason: 'stop' }),
    ];
    const { element, show } = draw(ended({ choices: two }));
    const pressed = (): (string | null)[] =>
      element.find('choices').children.map((button) => of(button).getAttribute('aria-pressed'));
    assert.deepEqual([element.find('choices').hidden, pressed()], [false, ['true', 'false']]);
    assert.match(element.textContent, /One\./);
    show(ended({ choices: two, shownChoice: 1 }));
    assert.deepEqual(pressed(), ['false', 'true']);
    assert.match(element.textContent, /Two\./);
    assert.doesNotMatch(element.textContent, /One\./);
    show(ended({ choices: two.slice(0, 1) }));
    assert.equal(element.find('choices').hidden, true);
  });

  it('counts seconds while it is written, once a second, and no longer than it is on the page', () => {
    const { element, show } = draw(answer({ choices: [choice({ text: 'Y' })] }));
    page.body.append(element);
    assert.deepEqual(
      [ticks.map(({ everyMs }) => everyMs), element.classes.has('streaming'), element.classes.has('writing')],
      [[1000], true, true],
    );
    show(answer({ choices: [choice({ text: 'Ye' })] }));
    assert.equal(ticks.length, 1, 'by one clock');
    const now = Date.now;
    try {
      const at = now();
      Date.now = () => at + 11_000;
      ticks[0]?.work();
      assert.deepEqual([element.classes.has('writing'), cleared], [false, []]);
    } finally {
      Date.now = now;
    }
    element.remove();
    ticks[0]?.work();
    assert.deepEqual(cleared, [71]);
    page.body.append(element);
    show(answer({ choices: [choice({ text: 'Yes' })] }));
    assert.equal(ticks.length, 2);
    show(ended());
    assert.deepEqual(
      [cleared, element.classes.has('streaming'), element.classes.has('writing')],
      [[71, 72], false, false],
    );
    assert.equal(element.find('turn-tools').hidden, false);
    element.remove();
  });

  it('is put on the page up to a million characters, with all of it in an editor', () => {
    const text = 'a'.repeat(1_000_000);
    const cut = (length: number): boolean => {
      const { element } = draw(
        ended({}, { text: text.slice(0, length - 1) + 'b'.repeat(length - Math.min(length - 1, text.length)) }),
      );
      const rest = element.children.map(of).find(({ classes }) => classes.has('mark'));
      calls = [];
      if (rest?.hidden === false) {
        rest
          .all()
          .find(({ tag }) => tag === 'button')
          ?.does('click');
        assert.deepEqual(
          calls.map(([name, whole, language]) => [name, (whole as string).length, language]),
          [['newFile', length, 'markdown']],
        );
      }
      return rest?.hidden === false;
    };
    assert.deepEqual([cut(1_000_000), cut(1_000_001)], [false, true]);
  });

  it('is drawn as code while it is JSON that comes, and keeps its outcome while nothing of it changes', () => {
    const { element, show } = draw(answer({ choices: [choice({ text: '{"a": 1' })] }));
    assert.ok(element.all().some(({ tag }) => tag === 'pre'));
    show(answer({ choices: [choice({ text: 'Well, {"a": 1' })] }));
    assert.ok(!element.all().some(({ tag }) => tag === 'pre'));
    show(ended({ status: 'stopped' }));
    const [line] = element.find('outcome').children;
    show(ended({ status: 'stopped' }, { text: 'Yes. And' }));
    assert.equal(element.find('outcome').children[0], line);
    show(ended({ status: 'stopped' }, { text: '' }));
    assert.notEqual(element.find('outcome').children[0], line);
    assert.equal(outcomeOf(element).includes('Continue'), false);
    show(ended({ status: 'stopped' }));
    assert.equal(outcomeOf(element).includes('Continue'), true);
    show(ended({ status: 'stopped' }), { isLast: false });
    assert.equal(outcomeOf(element).includes('Continue'), false, 'what came after it goes on from there');
  });

  it('is named by its endpoint, and waits no longer once it has ended', () => {
    const wait = { failure, attempt: 1, waitUntilMs: Date.now() + 20_000, giveUpAtMs: Date.now() + 60_000 };
    const { element, show } = draw(answer({ endpoint: 'other' }), { wait });
    assert.equal(element.getAttribute('aria-label'), 'other');
    const progress = element.find('answer-progress');
    assert.match(progress.textContent, /It failed\..*Next attempt in 20 s/);
    show(ended());
    assert.equal(progress.textContent, '');
    assert.equal(element.find('Regenerate').getAttribute('aria-disabled'), 'false');
    show(ended(), { isBusy: true });
    assert.equal(element.find('Regenerate').getAttribute('aria-disabled'), 'true');
  });

  it('counts the seconds of the wait and of the thoughts as they pass', () => {
    const now = Date.now;
    const at = now();
    try {
      Date.now = () => at;
      const waiting = draw(answer());
      page.body.append(waiting.element);
      const thinking = draw(answer({ choices: [choice({ reasoning: 'Hm.' })] }));
      page.body.append(thinking.element);
      const told = (): string[] => [
        waiting.element.find('progress').textContent,
        thinking.element.find('summary').textContent,
      ];
      assert.deepEqual(told(), ['Waiting for m, 0 sStopAsk Again', 'Thinking, 0 s']);
      Date.now = () => at + 3000;
      for (const { work } of ticks) work();
      assert.deepEqual(told(), ['Waiting for m, 3 sStopAsk Again', 'Thinking, 3 s']);
      thinking.show(answer({ choices: [choice({ reasoning: 'Hm.', text: 'Yes.' })] }));
      assert.deepEqual([told()[1], thinking.element.find('reasoning').open], ['Thought for 3 s', false]);
    } finally {
      Date.now = now;
      page.body.replaceChildren();
    }
  });

  it('shows what was thought, whether it was told beside the answer or within it', () => {
    const { element } = draw(ended({}, { reasoning: 'Hm.', text: '<think>So.</think>Yes.' }));
    assert.deepEqual([element.find('reasoning-text').textContent, element.find('reasoning').hidden], ['Hm.So.', false]);
    assert.equal(draw(ended()).element.find('reasoning').hidden, true);
  });

  it('is a tree where it is JSON that has come to its end, and not where it was stopped', () => {
    const shown = (status: Answer['status']): boolean => {
      const json = draw(ended({ status }, { text: '{"a": 1}' })).element.find('json-answer');
      return !json.hidden;
    };
    assert.deepEqual([shown('done'), shown('stopped'), shown('failed')], [true, false, false]);
  });

  it('is empty only where it calls nothing either, and tells of what is shown now', () => {
    const call = { index: 0, id: 'c', name: 'f', arguments: '{}' };
    const { element, show } = draw(ended({}, { text: '', toolCalls: [call] }));
    assert.equal(outcomeOf(element), '');
    const two = [choice({ text: 'One.' }), choice({ choice: 1, text: 'Two.' })];
    show(ended({ id: 'b', choices: two }));
    calls = [];
    element.find('choices').find('2').does('click');
    assert.deepEqual(calls, [['selectChoice', 'b', 1]]);
    const stopped = draw(ended({ status: 'stopped', endedAtMs: undefined }));
    assert.match(outcomeOf(stopped.element), /after 0\.0 s/);
    const odd = draw(ended({ choices: [choice({ choice: 3, text: 'One.' }), choice({ choice: 7, text: 'Two.' })] }));
    odd.element.find('choices').find('2').does('click');
    assert.deepEqual(calls.at(-1), ['selectChoice', 'a', 7], 'by the number that the service gave it');
  });
});
