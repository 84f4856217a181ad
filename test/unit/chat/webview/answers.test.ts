import assert from 'node:assert/strict';
import type { Answer, Choice, totalUsage, Turn } from '../../../../src/chat/conversation.ts';
import type { Failure, PlaygroundTask, TokenLogprob } from '../../../../src/chat/conversationEvent.ts';
import type { ViewState } from '../../../../src/chat/protocol.ts';
import {
  formatCount,
  formatLength,
  formatPace,
  formatPercent,
  formatSeconds,
  formatUsage,
} from '../../../../src/chat/webview/shortTexts.ts';
import type { ViewActions } from '../../../../src/chat/webview/viewActions.ts';
import { formatLastUse } from '../../../../src/shared/dateTimeFormat.ts';
import './workerHook.ts';
import { all, click, find, inPage, onPage, pass } from '../../../support/editorStandIn/page.ts';
import { answer, choice, notedIn, noTools } from './viewParts.ts';

const { AnswerView } = await onPage(() => import('../../../../src/chat/webview/answerView.ts'));
const { ProgressView } = await onPage(() => import('../../../../src/chat/webview/progressView.ts'));
const { ReasoningView } = await onPage(() => import('../../../../src/chat/webview/reasoningView.ts'));
const { ToolCallsView } = await onPage(() => import('../../../../src/chat/webview/toolCallsView.ts'));
const { ResultsView } = await onPage(() => import('../../../../src/chat/webview/resultsView.ts'));
const { LogprobsView } = await onPage(() => import('../../../../src/chat/webview/logprobsView.ts'));
const { VariantPager } = await onPage(() => import('../../../../src/chat/webview/answerView.ts'));

describe('AnswerView', () => {
  let calls: unknown[][];
  inPage();
  const noted = notedIn(() => calls);
  beforeEach(() => (calls = []));
  const actions = new Proxy({} as ViewActions, {
    get: (_target, name: string) =>
      name === 'begunResults'
        ? () => []
        : name.startsWith('begun') || ['maxTokens', 'contextLength'].includes(name)
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
    return { view, show, element: view.element };
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

  it('shows a look-up without tokens, time or request, and opens its links', () => {
    const links = [
      { title: 'etl #3', run: { profileId: 'local', runId: '7', label: 'etl #3' } },
      { title: 'Runs', detail: 'A live tree.', section: 'README.md#runs' },
      { title: '/why', command: '/why' },
      { title: 'max_retries', detail: 'A field.' },
    ];
    const { element } = draw(ended({ endpoint: 'Millrace', isLookUp: true, links }));
    assert.equal(find(element, 'usage').textContent, 'Millrace');
    assert.equal(find(element, 'turn-tools').querySelectorAll('button.icon-button:not([disabled])').length, 2);
    for (const button of find(element, 'answer-links').querySelectorAll('button')) button.click();
    assert.deepEqual(calls, [
      ['openRun', links[0]?.run],
      ['openSection', 'README.md#runs'],
      ['ask', '/why'],
    ]);
  });

  it('shows the actions of a look-up as buttons until the conversation goes on', () => {
    const links = [{ title: 'Apply', command: '/fix 5 apply', isAction: true }];
    const turn = ended({ isLookUp: true, links });
    const { element, show } = draw(turn);
    const button = find(element, 'answer-actions').querySelector('button');
    assert.equal(button?.textContent, 'Apply');
    button?.click();
    assert.deepEqual(calls, [['ask', '/fix 5 apply']]);
    show(turn, { isLast: false });
    assert.equal(find(element, 'answer-actions').querySelector('button'), null);
  });

  it('runs the action of each button', () => {
    const press = (turn: Answer, name: string, beside: Beside = {}): unknown[][] => {
      calls = [];
      const { element } = draw(turn, beside);
      const found = [find(element, 'turn-tools'), find(element, 'outcome'), element]
        .flatMap((place) => all(place, 'button'))
        .find((button) => button.textContent === name || button.getAttribute('aria-label') === name);
      assert.ok(found, `${name} is not there`);
      click(found);
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

  it('says that an answer is empty and opens its raw events', () => {
    const cut: Failure = { kind: 'cutOff', message: 'It ended.' };
    for (const turn of [
      ...['stop', 'tool_calls', 'eos'].map((finishReason) => ended({}, { text: '', finishReason })),
      ended({ status: 'cutOff', failure: cut, choices: [] }),
    ]) {
      calls = [];
      const { element } = draw(turn);
      const button = all(find(element, 'outcome'), 'button').find(({ textContent }) => textContent?.startsWith('Show'));
      assert.ok(button, turn.status);
      click(button);
      assert.deepEqual(calls, [['more', 'a', true]]);
    }
  });

  it('shows at most a million characters and opens the rest in an editor', () => {
    const cut = (length: number): boolean => {
      const { element } = draw(ended({}, { text: 'a'.repeat(length) }));
      const rest = [...element.children].find(({ classList }) => classList.contains('mark')) as HTMLElement;
      calls = [];
      if (!rest.hidden) {
        click(find(rest, 'button'));
        assert.deepEqual(
          calls.map(([name, whole]) => [name, (whole as string).length]),
          [['newFile', length]],
        );
      }
      return !rest.hidden;
    };
    assert.deepEqual([cut(1_000_000), cut(1_000_001)], [false, true]);
  });

  it('shows JSON as a tree only if it is complete', () => {
    const shown = (status: Answer['status']): boolean => {
      const json = find(draw(ended({ status }, { text: '{"a": 1}' })).element, 'json-answer');
      return !json.hidden;
    };
    assert.deepEqual([shown('done'), shown('stopped'), shown('failed')], [true, false, false]);
  });
});

describe('ProgressView', () => {
  const startMs = 1_700_000_010_000;
  let calls: unknown[][];
  let told: string[];
  const noted = notedIn(() => calls);
  let view: InstanceType<typeof ProgressView>;
  const line = (): string => find(view.element, 'progress').textContent;
  const isHidden = (name: string) => find(view.element, name).hidden;
  const going = () => answer({ endpoint: 'guide', createdAtMs: startMs });
  const wait = (waitUntilMs: number) => ({
    failure: { kind: 'server' as const, message: 'Not well.' },
    attempt: 2,
    waitUntilMs,
    giveUpAtMs: Date.now() + 60_000,
  });
  inPage();
  beforeEach(() => {
    [calls, told] = [[], []];
    view = new ProgressView(
      { retryNow: noted('retry'), stop: noted('stop'), announce: (text) => void told.push(text) },
      noted('again'),
      noted('elsewhere'),
    );
  });

  it('counts the seconds of waiting, writing and stalling', () => {
    view.update(going(), undefined, undefined);
    pass(3000);
    view.tick();
    assert.match(line(), /Waiting for guide, 3 s/);
    view.update(going(), choice({ text: 'x' }), undefined);
    pass(1000);
    view.tick();
    assert.match(line(), /Writing, 4 s/);
    pass(20_000);
    view.tick();
    assert.match(line(), /No data for 21 s/);
  });

  it('announces a stall once', () => {
    const says = (text: string): void => view.update(going(), choice({ text }), undefined);
    says('x');
    for (let second = 0; second < 60; second += 1) {
      pass(1000);
      if (second === 30) says('xy');
      view.tick();
    }
    assert.deepEqual(told, ['No data for 10 s; the connection is still open.']);
  });

  const buttons = (): Map<string, HTMLElement> =>
    new Map(all(view.element, 'button').map((button) => [button.textContent, button]));

  it('offers to retry, to stop and to ask another endpoint while it waits', () => {
    view.update(going(), undefined, {
      ...wait(Date.now() + 5000),
      failure: { kind: 'server' as const, message: 'Not well.', remedy: 'Wait.' },
    });
    assert.equal(find(view.element, 'card-remedy').textContent, 'Wait.');
    assert.deepEqual([...buttons().keys()], ['Retry Now', 'Stop', 'Other Endpoint']);
    for (const button of buttons().values()) click(button);
    assert.deepEqual(calls, [['retry'], ['stop'], ['elsewhere']]);
    assert.equal(view.isWriting, false);
    view.update(going(), choice({ text: 'x' }), wait(Date.now() + 5000));
    assert.equal(view.isWriting, false, 'it waits, whatever came before');
    view.update(going(), choice({ text: 'x' }), wait(Date.now()));
    assert.equal(find(view.element, 'countdown').textContent, 'Trying again…');
  });

  it('counts as stalled after ten seconds without a word', () => {
    const shown = (): unknown[] => {
      const [stop, again] = [...buttons().values()];
      const progress = find(view.element, 'progress');
      return [isHidden('dots'), progress.className, stop?.hidden, again?.hidden];
    };
    view.update(going(), undefined, undefined);
    assert.deepEqual(shown(), [false, 'progress', true, true]);
    pass(60_000);
    view.tick();
    assert.deepEqual(shown(), [false, 'progress', true, true], 'nothing came, so nothing stalls');
    view.update(going(), choice({ text: 'x' }), undefined);
    assert.deepEqual(shown(), [true, 'progress', true, true]);
    pass(9999);
    view.tick();
    assert.deepEqual([shown(), view.isWriting], [[true, 'progress', true, true], true]);
    pass(1);
    view.tick();
    assert.deepEqual([shown(), view.isWriting], [[true, 'progress stalled', false, false], false]);
    view.update(going(), choice({ text: 'xy' }), undefined);
    assert.deepEqual(shown(), [true, 'progress', true, true]);
  });
});

describe('ReasoningView', () => {
  let view: InstanceType<typeof ReasoningView>;
  inPage();
  beforeEach(() => {
    view = new ReasoningView();
  });
  const shown = (): unknown[] => {
    const element = view.element;
    return [
      element.hidden,
      element.open,
      find(element, 'summary').textContent,
      find(element, 'reasoning-text').textContent,
    ];
  };

  it('is open while the model thinks and folds when it answers', () => {
    view.update('hm', true);
    assert.deepEqual(shown(), [false, true, 'Thinking, 0 s', 'hm']);
    pass(3000);
    view.tick();
    assert.deepEqual(shown(), [false, true, 'Thinking, 3 s', 'hm']);
    pass(2000);
    view.update('hm, so', true);
    assert.deepEqual(shown(), [false, true, 'Thinking, 5 s', 'hm, so']);
    pass(60_000);
    view.update('hm, so', false);
    assert.deepEqual(shown(), [false, false, 'Thought for 1 min 5 s', 'hm, so']);
    pass(5000);
    view.tick();
    view.update('hm, so', false);
    assert.deepEqual(shown(), [false, false, 'Thought for 1 min 5 s', 'hm, so']);
  });

  it('stays as the reader has folded it', () => {
    view.update('hm', true);
    view.element.open = false;
    view.update('hm, so', true);
    assert.equal(view.element.open, false);
    view.update('hm, so', false);
    view.element.open = true;
    view.update('hm, so', false);
    assert.equal(view.element.open, true);
  });
});

describe('ToolCallsView', () => {
  let calls: unknown[][];
  let begun: readonly string[];
  let view: InstanceType<typeof ToolCallsView>;
  const noted = notedIn(() => calls);
  const texts = (tag: string): string[] =>
    all(view.element)
      .filter((part) => part.localName === tag)
      .map((part) => part.textContent);
  const called = (args: string, more: object = {}): ReturnType<typeof choice> =>
    choice({ toolCalls: [{ index: 0, id: 'c', name: 'f', arguments: args, ...more }] as never });
  inPage();
  beforeEach(() => {
    [calls, begun] = [[], []];
    view = new ToolCallsView({
      sendToolResults: noted('results'),
      runTools: noted('run'),
      keepResults: noted('kept'),
      begunResults: () => begun,
      openRun: noted('open'),
    } as never);
    document.body.append(view.element);
  });

  it('offers to run only built-in functions, and asks for confirmation at the answer with the change', () => {
    const done = answer({ status: 'done' });
    const tools = { ...noTools, names: ['f'] };
    view.update(done, called('{}'), true, tools);
    assert.deepEqual(texts('button'), ['Run', 'Send Results']);
    const two = choice({
      toolCalls: ['f', 'g'].map((name, index) => ({ index, id: name, name, arguments: '{}' })) as never,
    });
    view.update(done, two, true, tools);
    assert.deepEqual([texts('button'), texts('textarea').length], [['Send Results'], 2]);
    // While another answer waits for confirmation, this one offers nothing.
    view.update(done, called('{}'), true, { ...tools, offer: { answerId: 'other', changes: ['Run "x"'] } });
    assert.deepEqual(texts('button'), ['Send Results']);
    view.update(done, called('{}'), true, { ...tools, offer: { answerId: 'a', changes: ['Run "x"'] } });
    assert.deepEqual(texts('button'), ['Allow', 'Decline', 'Send Results']);
    view.update(done, called('{}'), true, { ...tools, isUnderWay: true });
    assert.deepEqual([texts('button'), texts('summary')], [[], ['f is in progress']]);
  });

  const two = choice({
    toolCalls: ['f', 'g'].map((name, index) => ({
      index,
      id: index === 0 ? 'c' : undefined,
      name,
      arguments: '{"a":1}',
    })) as never,
  });

  it('runs, allows or declines calls with its buttons', () => {
    const done = answer({ status: 'done' });
    const tools = { ...noTools, names: ['f', 'g'] };
    const press = (name: string): unknown[][] => {
      click(find(view.element, name));
      return calls.splice(0);
    };
    view.update(done, two, true, tools);
    assert.deepEqual(press('Run'), [['run', 'a', false]]);
    view.update(done, two, true, { ...tools, offer: { answerId: 'a', changes: ['Run "x"'] } });
    assert.deepEqual(press('Allow'), [['run', 'a', true]]);
    assert.deepEqual(press('Decline'), [['run', 'a', false]]);
  });

  it('sends a result for each call, and an empty one only on confirmation', () => {
    const done = answer({ status: 'done' });
    view.update(done, two, true, noTools);
    const inputs = all(view.element, 'textarea');
    const [first, second] = inputs;
    assert.ok(first && second);
    const invalid = (): unknown[] => inputs.map((input) => input.getAttribute('aria-invalid'));
    first.value = 'one';
    click(find(view.element, 'Send Results'));
    assert.deepEqual([calls, document.activeElement === second, invalid()], [[], true, ['false', 'true']]);
    click(find(view.element, 'Send Results'));
    assert.deepEqual(calls, [], 'the same button does not mean an empty result');
    click(find(view.element, 'Send Empty Results'));
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
    click(find(view.element, 'Send Results'));
    const [[, again] = []] = calls as [unknown, { content: string }[]][];
    assert.deepEqual(
      again?.map(({ content }) => content),
      ['one', 'two'],
    );
  });
});

describe('ResultsView', () => {
  inPage();

  const nearestOf = (element: HTMLElement) =>
    all(element).filter(({ localName, textContent }) => localName === 'button' && textContent === 'Nearest');

  const rows = (element: HTMLElement): string[] => all(element, '.result').map(({ textContent }) => textContent);

  it('shows a hundred results at first and a thousand more on request', () => {
    const results = new ResultsView('completion', () => undefined);
    const element = results.element;
    const choices = Array.from({ length: 1200 }, (_, index) => choice({ choice: index, text: 'x' }));
    const show = (count: number): void => results.update(answer({ choices: choices.slice(0, count) }), []);
    const rest = (): (string | boolean)[] => {
      const button = element.lastElementChild as HTMLElement;
      return [button.hidden, button.textContent];
    };
    show(100);
    assert.deepEqual([rows(element).length, rest()[0]], [100, true]);
    show(1200);
    assert.equal(rows(element).length, 100);
    assert.equal(rest()[0], false);
    assert.match(String(rest()[1]), /1,?100/);
    click(element.lastElementChild);
    assert.equal(rows(element).length, 1100);
    assert.match(String(rest()[1]), /100/);
    click(element.lastElementChild);
    assert.deepEqual([rows(element).length, rest()[0]], [1200, true]);
  });

  it('sorts vectors by similarity and copies them', () => {
    const copied: string[] = [];
    const results = new ResultsView('embedding', (text) => copied.push(text));
    const element = results.element;
    const texts = ['[1,0,0,0]', '[0,1,0,0]', '[3,1,0,0]', '[0,0,0,0]', '[-2,0,0,0]'];
    results.update(answer({ status: 'done', choices: texts.map((text, index) => choice({ choice: index, text })) }), [
      'east',
      'north',
      'near east',
      'nowhere',
      'west',
    ]);
    assert.equal(find(element, 'result-list').getAttribute('aria-label'), 'Vectors');
    const order = (): string[] =>
      [...find(element, 'result-list').children].map((row) => find(row, 'result-input').textContent);
    const notes = (): string[] =>
      [...find(element, 'result-list').children].map((row) => find(row, 'result-note').textContent);
    const cells = all(element, 'tr').map((row) => all(row, 'td').map(({ textContent }) => textContent));
    assert.deepEqual(cells[3], ['0.95', '0.32', '1.00', '0.00', '-0.95'], 'the similarities of "near east"');
    const [, , vector] = all(element, '.vector');
    assert.doesNotMatch(vector?.textContent ?? '', /\[/);
    Object.assign(vector ?? {}, { open: true });
    assert.match(vector?.textContent ?? '', /4.*3\.162.*\[3,1,0,0\]/);
    click(nearestOf(element)[0]);
    assert.deepEqual(order(), ['east', 'near east', 'north', 'nowhere', 'west']);
    assert.deepEqual(
      notes().map((note) => /-?[\d.]+/.exec(note)?.[0]),
      ['1.000', '0.949', '0.000', '0.000', '-1.000'],
    );
    const pressed = (): (string | null)[] => nearestOf(element).map((button) => button.getAttribute('aria-pressed'));
    assert.deepEqual(pressed(), ['true', 'false', 'false', 'false', 'false']);
    assert.match(find(element, 'results-head').textContent, /east/);
    click(nearestOf(element)[0]);
    assert.deepEqual(
      [order(), notes()],
      [
        ['east', 'north', 'near east', 'nowhere', 'west'],
        ['', '', '', '', ''],
      ],
    );
    assert.deepEqual(pressed(), ['false', 'false', 'false', 'false', 'false']);
    click(find(element, 'Copy Vectors as JSON'));
    assert.deepEqual(copied, [`[${texts.join(',\n')}]`]);
    const short = new ResultsView('embedding', () => undefined);
    short.update(answer({ status: 'done', choices: [choice({ text: '[1,0,0]' })] }), ['a']);
    assert.equal(find(short.element, 'similarities').hidden, true, 'one vector has none');
  });
});

describe('LogprobsView', () => {
  const token = (text: string, probability: number, ...alternatives: [string, number][]): TokenLogprob => ({
    token: text,
    logprob: Math.log(probability),
    alternatives: alternatives.map(([other, share]) => ({ token: other, logprob: Math.log(share) })),
  });

  inPage();
  const open = (): { view: InstanceType<typeof LogprobsView>; drawn: () => HTMLElement[] } => {
    const view = new LogprobsView();
    view.element.open = true;
    return { view, drawn: () => [...find(view.element, 'tokens').children] as HTMLElement[] };
  };

  it('shades tokens in five steps by their probability', () => {
    const { view, drawn } = open();
    view.update([
      token('a', 1),
      token('b', 0.81, ['c', 0.15], ['\n', 0.04]),
      token('d', 0.79),
      token('e', 0.41),
      token('f', 0.39),
      token('g', 0.19),
    ]);
    assert.deepEqual(
      drawn().map(({ className }) => /\d/.exec(className)?.[0]),
      ['4', '4', '3', '2', '1', '0'],
    );
    assert.deepEqual(drawn()[1]?.title.match(/[\d.]+%/g), ['81.0%', '15.0%', '4.0%']);
  });

  it('shows the first 2,000 tokens', () => {
    const { view, drawn } = open();
    const tokens = (count: number): TokenLogprob[] => Array.from({ length: count }, () => token('t', 1));
    view.update(tokens(1999));
    view.update(tokens(2000));
    assert.equal(drawn().length, 2000);
    view.update(tokens(2001));
    assert.deepEqual([drawn().length, drawn().at(-1)?.localName], [2001, 'p']);
    view.update(tokens(2002));
    assert.equal(drawn().length, 2001);
  });
});

describe('VariantPager', () => {
  inPage();
  const variants = ['1', '2', '3'].map((id) => ({ id }) as Turn);
  const pagerAt = (place: number, shown = variants): { element: HTMLElement; selected: string[] } => {
    const selected: string[] = [];
    const pager = new VariantPager((id) => selected.push(id));
    pager.update(variants[place] as Turn, shown);
    return { element: pager.element, selected };
  };
  it('steps from the first to the last variant', () => {
    const steps: unknown[] = [];
    for (const place of [0, 1, 2]) {
      const { element, selected } = pagerAt(place);
      for (const button of element.querySelectorAll('button')) click(button);
      steps.push([element.textContent, selected]);
    }
    assert.deepEqual(steps, [
      ['1/3', ['2']],
      ['2/3', ['1', '3']],
      ['3/3', ['2']],
    ]);
  });
});

describe('short texts', () => {
  it('describe the pace of an answer as far as it is known', () => {
    const usage = { completion_tokens: 100, total_tokens: 1_234 };
    assert.deepEqual(formatPace(usage, { first: 400, whole: 2_900 }), [
      '1,234 tokens',
      '2.9 s',
      '40 tokens/s',
      'first word after 0.4 s',
    ]);
    assert.deepEqual(formatPace(usage, { first: 400, whole: 599 }), [
      '1,234 tokens',
      '0.6 s',
      'first word after 0.4 s',
    ]);
    assert.deepEqual(formatPace({ total_tokens: 7 }, { first: 0, whole: 1_000 }), [
      '7 tokens',
      '1.0 s',
      'first word after 0.0 s',
    ]);
    assert.deepEqual(formatPace(undefined, { whole: 1_000 }), ['Usage not reported', '1.0 s']);
    assert.deepEqual(formatPace(undefined, { whole: 79_300 }), ['Usage not reported', '1 min 19 s']);
    assert.deepEqual(formatPace(usage, {}), ['1,234 tokens']);
    assert.match(formatPace(usage, {}, 12_340)[0] ?? '', /^1,234 of 12,340 .*10/);
  });

  it('show counts as reported', () => {
    assert.equal(formatUsage(undefined), 'Usage not reported');
    const whole = formatUsage({ prompt_tokens: 1001, completion_tokens: 22, total_tokens: 1023 });
    assert.deepEqual(whole.match(/[\d,]+/g), ['1,001', '22', '1,023']);
    const some = formatUsage({ prompt_tokens: 0 });
    assert.deepEqual(some.match(/[\d–]+/g), ['0', '–', '–']);
    assert.equal(formatCount(1_234_567), '1,234,567');
  });

  it('show lengths in tenths below a minute, and in whole seconds above', () => {
    assert.deepEqual([-5, 0, 49, 50, 59_949, 60_000, 61_500].map(formatLength), [
      '0.0 s',
      '0.0 s',
      '0.0 s',
      '0.1 s',
      '59.9 s',
      '1 min 0 s',
      '1 min 2 s',
    ]);
    assert.deepEqual([-5000, 0, 499, 500, 59_499, 59_500, 119_499, 3_600_000].map(formatSeconds), [
      '0 s',
      '0 s',
      '0 s',
      '1 s',
      '59 s',
      '1 min 0 s',
      '1 min 59 s',
      '60 min 0 s',
    ]);
    assert.deepEqual([0, 0.5, 0.12345, 1].map(formatPercent), ['0.0%', '50.0%', '12.3%', '100.0%']);
  });

  it('show the last use in its largest unit', () => {
    const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
    const ago = (ms: number): string => formatLastUse(1_000_000_000_000 - ms, 1_000_000_000_000, 'en');
    assert.deepEqual(
      [0, minute, 59 * minute, 60 * minute, 23 * hour, 24 * hour, 36 * hour, 2 * day, 40 * day, -5 * minute].map(ago),
      ['this minute', '1m ago', '59m ago', '1h ago', '23h ago', 'yesterday', 'yesterday', '2d ago', '40d ago', 'in 5m'],
    );
  });
});
