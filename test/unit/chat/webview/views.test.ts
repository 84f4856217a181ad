import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, page, usePage } from '../../../support/editorStandIn/page.ts';
import { holdTrail } from '../../../support/trail.ts';
import { notedIn, noTools, view, answer, choice, userTurn } from './viewParts.ts';
import './workerHook.ts';

usePage();
const { Composer } = await import('../../../../src/chat/webview/composer.ts');
const { ProgressView } = await import('../../../../src/chat/webview/progressView.ts');
const { ReasoningView } = await import('../../../../src/chat/webview/reasoningView.ts');
const { ScrollKeeper } = await import('../../../../src/chat/webview/scrollKeeper.ts');
const { strings } = await import('../../../../src/chat/webview/strings.ts');
const { ToolCallsView } = await import('../../../../src/chat/webview/toolCallsView.ts');
const { UserTurnView } = await import('../../../../src/chat/webview/userTurnView.ts');
const { VariantPager } = await import('../../../../src/chat/webview/answerView.ts');
const { LogprobsView } = await import('../../../../src/chat/webview/logprobsView.ts');
const { EmptyState } = await import('../../../../src/chat/webview/emptyState.ts');
const { failureCard } = await import('../../../../src/chat/webview/failureCard.ts');
leavePage();

describe("the parts of the chat's page", () => {
  holdTrail(import.meta.url);
  let calls: unknown[][];
  let taken: boolean;
  const noted = notedIn(() => calls);
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    [calls, taken] = [[], true];
    page.activeElement = page.body;
  });

  it('tell how an answer goes on, when it stalls, and what it waits for', () => {
    const progress = new ProgressView({
      retryNow: noted('retry'),
      stop: noted('stop'),
      askAgain: noted('again'),
      askElsewhere: noted('elsewhere'),
      announce: () => undefined,
    });
    const element = of(progress.element);
    progress.update(answer(), undefined, undefined);
    assert.deepEqual(
      [element.hidden, progress.isWriting, element.find('dots').hidden, element.find('link-button').hidden],
      [false, false, false, true],
    );
    progress.update(answer(), choice({ text: 'x' }), undefined);
    assert.deepEqual([progress.isWriting, element.find('dots').hidden], [true, true]);
    const now = Date.now;
    try {
      const at = now();
      Date.now = () => at + 9_000;
      progress.tick();
      assert.equal(progress.isWriting, true);
      Date.now = () => at + 11_000;
      progress.tick();
      assert.deepEqual(
        [progress.isWriting, element.find('progress').classes.has('stalled'), element.find('link-button').hidden],
        [false, true, false],
      );
    } finally {
      Date.now = now;
    }
    progress.update(answer(), choice({ text: 'x' }), {
      failure: { kind: 'server', message: 'Not well.', remedy: 'Wait.' },
      attempt: 1,
      waitUntilMs: Date.now() + 20_000,
      giveUpAtMs: Date.now() + 60_000,
    });
    assert.deepEqual(
      [progress.isWriting, element.find('card-message').textContent, element.find('card-remedy').textContent],
      [false, 'Not well.', 'Wait.'],
    );
    assert.match(element.find('countdown').textContent, /in 20 s, number 2; given up in 1 min 0 s/);
    for (const button of element
      .find('buttons')
      .all()
      .filter(({ tag }) => tag === 'button'))
      button.does('click');
    assert.deepEqual(calls, [['retry'], ['stop'], ['elsewhere']]);
    progress.update(answer({ status: 'done' }), choice({ text: 'x' }), undefined);
    assert.deepEqual([element.hidden, element.children.length], [true, 0]);
  });

  it('open the thoughts while the model thinks and fold them when it answers', () => {
    const reasoning = new ReasoningView();
    const element = of(reasoning.element);
    reasoning.update('', true);
    assert.equal(element.hidden, true);
    reasoning.update('hm', true);
    reasoning.update('hm, so', true);
    assert.deepEqual(
      [element.hidden, element.open, element.find('reasoning-text').textContent],
      [false, true, 'hm, so'],
    );
    reasoning.update('hm, so', false);
    assert.deepEqual([element.open, /Thought for/.test(element.find('summary').textContent)], [false, true]);
    reasoning.update('x'.repeat(200_000), false);
    assert.equal(element.find('reasoning-text').textContent.length, 100_000);
  });

  it('follow the end until the reader goes up', () => {
    const [list, button] = [page.createElement('main'), page.createElement('button')];
    Object.assign(list, { scrollHeight: 1000, clientHeight: 100 });
    const keeper = new ScrollKeeper(list as never, button as never);
    keeper.keep();
    assert.deepEqual([list.scrollTop, button.hidden], [1000, true]);
    list.scrollTop = 900;
    list.does('wheel', { deltaY: 5 });
    assert.equal(keeper.position.isPinned, true);
    list.does('wheel', { deltaY: -5 });
    list.scrollTop = 500;
    keeper.keep();
    assert.deepEqual([keeper.position, button.hidden], [{ top: 500, isPinned: false }, false]);
    list.does('scroll');
    list.scrollTop = 897;
    list.does('scroll');
    assert.equal(keeper.position.isPinned, true);
    list.does('keydown', { key: 'Home' });
    assert.equal(keeper.position.isPinned, false);
    keeper.jump();
    assert.equal(keeper.position.isPinned, true);
    keeper.isIdle = true;
    assert.equal(list.scrollTop, 0);
  });

  it('ask for the results of tool calls only at the end of the last answer', () => {
    const tools = new ToolCallsView({
      sendToolResults: noted('results'),
      begunResults: () => ['begun'],
      keepResults: noted('kept'),
    } as never);
    const called = choice({ toolCalls: [{ index: 0, id: '', name: 'f', arguments: '{"a":1}' }] as never });
    const element = of(tools.element);
    for (const [status, isLast] of [
      ['streaming', true],
      ['done', false],
      ['stopped', true],
    ] as const) {
      tools.update(answer({ status }), called, isLast, noTools);
      assert.equal(
        element.all().some(({ tag }) => tag === 'textarea'),
        false,
        status,
      );
    }
    tools.update(answer({ status: 'done' }), called, true, noTools);
    assert.equal(element.find('pre').textContent, '{\n  "a": 1\n}');
    element.find('textarea').value = '';
    element.find('Send Results').does('click');
    assert.deepEqual(
      [calls, element.find('textarea').getAttribute('aria-invalid')],
      [[], 'true'],
      'nothing is sent by accident',
    );
    element.find('textarea').value = '7';
    element.find('Send Results').does('click');
    const sent = (content: string): unknown => ['results', [{ toolCallId: 'call_a_0', name: 'f', content }]];
    assert.deepEqual(calls, [sent('7')]);
    element.find('textarea').value = '';
    element.find('Send Results').does('click');
    element.find('Send Results').does('click');
    assert.equal(calls.length, 1, 'nor by a second click');
    element.find('Send Empty Results').does('click');
    assert.deepEqual(calls[1], sent(''), 'but where that is meant');
  });

  it('show calls of built-in functions as under way, to be done, or to be decided', () => {
    const tools = new ToolCallsView({
      runTools: noted('run'),
      begunResults: () => [],
      keepResults: noted('kept'),
    } as never);
    const called = choice({ toolCalls: [{ index: 0, id: 'c', name: 'run_job', arguments: '{}' }] as never });
    const element = of(tools.element);
    const state = { ...noTools, names: ['run_job'], isOn: true };
    const texts = (tag: string): string[] =>
      element
        .all()
        .filter((part) => part.tag === tag)
        .map((part) => part.textContent);
    tools.update(answer({ status: 'done' }), called, true, { ...state, isUnderWay: true });
    assert.deepEqual([texts('summary'), texts('button')], [['run_job is under way'], []]);
    tools.update(answer({ status: 'done' }), called, true, state);
    assert.deepEqual(texts('button'), ['Run', 'Send Results']);
    element.find('Run').does('click');
    tools.update(answer({ status: 'done' }), called, true, {
      ...state,
      offer: { answerId: 'a', changes: ['Run "x"'] },
    });
    assert.deepEqual(texts('button'), ['Allow', 'Decline', 'Send Results']);
    assert.match(element.textContent, /Run "x"/);
    element.find('Allow').does('click');
    element.find('Decline').does('click');
    assert.deepEqual(calls, [
      ['run', 'a', false],
      ['run', 'a', true],
      ['run', 'a', false],
    ]);
    tools.update(answer({ status: 'done' }), called, false, state);
    assert.deepEqual([texts('summary'), texts('button')], [['Calls run_job'], []]);
  });

  it('show what functions gave at their calls, with the runs that can be opened', () => {
    const tools = new ToolCallsView({ openRun: noted('open'), begunResults: () => [] } as never);
    const element = of(tools.element);
    const call = (index: number, id: string, given: string) => ({ index, id, name: 'list_runs', arguments: given });
    const calling = choice({
      toolCalls: [call(0, 'c', '{"state":"failed","since":null}'), call(1, '', '{"a')] as never,
    });
    const run = { profileId: 'p', runId: '5', label: 'etl #5', isBad: true };
    tools.update(answer({ status: 'done' }), calling, false, noTools);
    tools.update(answer({ status: 'done' }), calling, false, noTools, [
      { toolCallId: 'c', name: 'list_runs', content: '{"a":1}', runs: [run] },
      { toolCallId: 'call_a_1', name: 'list_runs', content: '{"error":"Busy."}' },
    ]);
    const texts = (tag: string): string[] =>
      element
        .all()
        .filter((part) => part.tag === tag)
        .map((part) => part.textContent);
    assert.deepEqual(texts('summary'), ['list_runsfailed', 'list_runs failed']);
    const parts = ['{\n  "state": "failed",\n  "since": null\n}', '{\n  "a": 1\n}', '{"a', '{\n  "error": "Busy."\n}'];
    assert.deepEqual(texts('pre'), parts);
    element.find('etl #5').does('click');
    assert.deepEqual(calls, [['open', run]]);
    tools.update(answer({ status: 'done' }), calling, false, noTools, [
      { toolCallId: 'c', content: '{"declined":"The user did not allow it."}' },
    ]);
    assert.deepEqual(texts('summary'), ['list_runs declinedfailed', 'Calls list_runs']);
  });

  it('let models look at jobs by a switch, which the guide has not', () => {
    const composer = new Composer({ offerTools: noted('offer') } as never);
    const element = of(composer.element);
    const tools = { ...noTools, names: ['list_jobs'] };
    composer.update(view({ tools }), false, false);
    element.find(strings.toolsOff).does('click');
    composer.update(view({ tools: { ...tools, isOn: true } }), false, false);
    element.find(strings.toolsOn).does('click');
    composer.update(view({ tools: { ...tools, isOn: true, isFixed: true } }), false, false);
    element.find(strings.toolsOfGuide).does('click');
    assert.deepEqual(calls, [
      ['offer', true],
      ['offer', false],
    ]);
  });

  it('edit a message, and keep the editor where it was not taken over', async () => {
    const turn = userTurn();
    const kept: unknown[][] = [];
    const user = new UserTurnView(turn, {
      editAndResend: async (...args: unknown[]) => (calls.push(args), taken),
      copy: noted('copy'),
      selectVariant: noted('select'),
      begunEdit: () => undefined,
      keepEdit: (...args: unknown[]) => kept.push(args),
    } as never);
    const element = of(user.element);
    user.update(turn, { variants: [turn], isBusy: true });
    assert.equal(element.find('Edit and resend').getAttribute('aria-disabled'), 'true');
    element.find('Edit and resend').does('click');
    assert.equal(element.find('bubble').hidden, false, 'nothing is edited while an answer is written');
    user.update(turn, { variants: [turn], isBusy: false });
    assert.equal(element.find('Edit and resend').getAttribute('aria-disabled'), 'false');
    element.find('Edit and resend').does('click');
    const input = element.find('edit-input');
    assert.deepEqual([input.value, element.find('bubble').hidden, page.activeElement], ['why', true, input]);
    input.does('input');
    assert.deepEqual(kept, [['u', 'why']]);
    taken = false;
    input.does('keydown', { key: 'Enter', isComposing: true });
    input.does('keydown', { key: 'Enter', shiftKey: true });
    assert.equal(input.does('keydown', { key: 'Enter' }), true);
    await nextTurn();
    assert.deepEqual([calls, element.find('bubble').hidden], [[['u', 'why']], true]);
    input.does('keydown', { key: 'Escape' });
    assert.deepEqual([element.find('bubble').hidden, element.all().includes(input)], [false, false]);
    assert.deepEqual(kept.at(-1), ['u', undefined]);
  });

  it('step between variants, and not beyond them', () => {
    const pager = new VariantPager((id) => calls.push([id]));
    const variants = [{ id: '1' }, { id: '2' }] as never[];
    const [previous, next] = of(pager.element)
      .all()
      .filter(({ tag }) => tag === 'button');
    pager.update({ id: '1' } as never, variants.slice(0, 1));
    assert.equal(of(pager.element).hidden, true);
    pager.update({ id: '1' } as never, variants);
    assert.deepEqual(
      [of(pager.element).hidden, previous?.disabled, next?.disabled, of(pager.element).find('pager-label').textContent],
      [false, true, false, '1/2'],
    );
    next?.does('click');
    pager.update({ id: '2' } as never, variants);
    assert.deepEqual([previous?.disabled, next?.disabled], [false, true]);
    previous?.does('click');
    assert.deepEqual(calls, [['2'], ['1']]);
  });

  it('draw token probabilities when they are looked at, and not more than a page holds', () => {
    const logprobs = new LogprobsView();
    const element = of(logprobs.element);
    logprobs.update([]);
    assert.equal(element.hidden, true);
    logprobs.update(
      Array.from({ length: 3000 }, () => ({
        token: 't',
        logprob: Math.log(0.5),
        alternatives: [{ token: 'u', logprob: 0 }],
      })),
    );
    assert.deepEqual([element.hidden, element.find('tokens').childElementCount], [false, 0]);
    element.open = true;
    element.does('toggle');
    assert.deepEqual(
      [element.find('tokens').childElementCount, element.find('token').className, element.find('token').title],
      [2001, 'token level-2', '"t" 50.0%\n"u" 100.0%'],
    );
  });

  it('show an empty conversation what to begin with', () => {
    const empty = new EmptyState({
      suggest: noted('suggest'),
      open: noted('open'),
      showAll: noted('all'),
      takeRoom: noted('room'),
    });
    empty.update(
      view({
        suggestions: [{ title: 'T', prompt: 'Do it' }],
        recent: [{ id: 'a', title: '', updatedAtMs: 1, isWriting: false, isUnread: false }],
      }),
      true,
    );
    for (const name of ['suggestion', 'recent-item', 'link-button']) of(empty.element).find(name).does('click');
    assert.deepEqual(calls, [['suggest', { title: 'T', prompt: 'Do it' }], ['open', 'a'], ['all']]);
    const [first] = empty.element.children;
    const same = view({
      suggestions: [{ title: 'T', prompt: 'Do it' }],
      recent: [{ id: 'a', title: '', updatedAtMs: 1, isWriting: false, isUnread: false }],
    });
    empty.update(same, true);
    assert.equal(empty.element.children[0], first, 'what is the same is not drawn again');
    empty.update(view(), false);
    assert.equal(of(empty.element).hidden, true);
    assert.equal(empty.element.children[0], first, 'what is not seen is not drawn');
    empty.update(view({ offersRoom: true }), true);
    of(empty.element).find('room').find('link-button').does('click');
    assert.deepEqual(calls.at(-1), ['room', 'sideBar']);
    assert.notEqual(empty.element.children[0], first);
  });

  it('show a failure with its remedy and what can be done', () => {
    const card = of(
      failureCard({ kind: 'server', message: 'No.', remedy: 'Wait.' }, 'warning', {
        label: 'Retry',
        run: noted('retry'),
      }),
    );
    assert.deepEqual(
      [card.className, card.find('card-message').textContent, card.find('card-remedy').textContent],
      ['card warning', 'No.', 'Wait.'],
    );
    card.find('Retry').does('click');
    assert.deepEqual(calls, [['retry']]);
    assert.equal(
      of(failureCard({ kind: 'server', message: 'No.' }, 'error'))
        .all()
        .some(({ classes }) => classes.has('card-remedy')),
      false,
    );
  });
});
