import assert from 'node:assert/strict';
import type { Answer, Choice, totalUsage } from '../../../../src/chat/conversation.ts';
import type { Failure, PlaygroundTask } from '../../../../src/chat/conversationEvent.ts';
import type { ViewState } from '../../../../src/chat/protocol.ts';
import type { ViewActions } from '../../../../src/chat/webview/viewActions.ts';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { type FakeElement, leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { useStillPage } from '../../../support/editorStandIn/stillPage.ts';
import { answer, choice, notedIn, noTools } from './viewParts.ts';
import './workerHook.ts';

usePage();
const { AnswerView } = await import('../../../../src/chat/webview/answerView.ts');
leavePage();

describe('an answer on the page', () => {
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

  const buttons = (element: FakeElement): FakeElement[] => element.all().filter(({ tag }) => tag === 'button');

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

  it('is a tree where it is JSON that has come to its end, and not where it was stopped', () => {
    const shown = (status: Answer['status']): boolean => {
      const json = draw(ended({ status }, { text: '{"a": 1}' })).element.find('json-answer');
      return !json.hidden;
    };
    assert.deepEqual([shown('done'), shown('stopped'), shown('failed')], [true, false, false]);
  });
});
