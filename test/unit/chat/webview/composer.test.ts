import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UserTurn } from '../../../../src/chat/conversation.ts';
import { DraftKeeper, type UnsentDraft } from '../../../../src/chat/webview/draftKeeper.ts';
import { blur, click, find, fire, inPage, onPage, pass } from '../../../support/editorStandIn/page.ts';
import './workerHook.ts';
import { settle } from '../../../support/fakeClock.ts';
import { notedIn, view, userTurn } from './viewParts.ts';

const { Composer } = await onPage(() => import('../../../../src/chat/webview/composer.ts'));
const { UserTurnView } = await onPage(() => import('../../../../src/chat/webview/userTurnView.ts'));

describe('Composer', () => {
  let calls: unknown[][];
  let taken: boolean;
  let previous: string | undefined;
  const completions = ['/failed ', '/fix '].map((text) => ({ text, detail: 'Runs' }));
  const noted = notedIn(() => calls);
  inPage();
  beforeEach(() => {
    [calls, taken, previous] = [[], true, undefined];
    blur();
  });
  const actionsOf = (): ConstructorParameters<typeof Composer>[0] => ({
    send: async (text) => (calls.push(['send', text]), taken),
    stop: noted('stop'),
    chooseEndpoint: noted('endpoint'),
    attachContext: noted('attach'),
    removeAttachment: noted('remove'),
    chooseProfile: noted('profile'),
    toggleParameters: noted('parameters'),
    separateLines: noted('separateLines'),
    chooseTools: noted('chooseTools'),
    draftChanged: () => undefined,
    sendQueued: noted('sendQueued'),
    takeBack: noted('takeBack'),
    previousPrompt: () => previous,
    complete: async (text) => completions.filter((each) => each.text.startsWith(text)),
  });
  const make = () => new Composer(actionsOf());
  it('sends with Enter, but not with Shift+Enter or while an IME composes', async () => {
    const composer = make();
    composer.update(view(), false, false);
    composer.text = 'why';
    const prompt = find(composer.element, 'prompt');
    assert.equal(fire(prompt, 'keydown', { key: 'Enter', shiftKey: true }), false);
    assert.equal(fire(prompt, 'keydown', { key: 'Enter', isComposing: true }), false);
    assert.deepEqual(calls, []);
    assert.equal(fire(prompt, 'keydown', { key: 'Enter' }), true);
    await nextTurn();
    assert.deepEqual([calls, composer.text], [[['send', 'why']], '']);
  });

  it('completes a command with Enter and sends it with the next', async () => {
    const composer = make();
    composer.update(view(), false, false);
    const prompt = find(composer.element, 'prompt');
    document.body.append(composer.element);
    prompt.focus();
    composer.text = '/f';
    fire(prompt, 'input');
    await nextTurn();
    const shown = (): string[] => [...find(composer.element, 'completions').children].map((each) => each.id);
    assert.equal(shown().length, 2);
    fire(prompt, 'keydown', { key: 'ArrowDown' });
    assert.equal(prompt.getAttribute('aria-activedescendant'), shown()[1]);
    fire(prompt, 'keydown', { key: 'Enter' });
    assert.deepEqual([composer.text, calls], ['/fix ', []]);
    await nextTurn();
    fire(prompt, 'keydown', { key: 'Enter' });
    assert.deepEqual(calls, [['send', '/fix ']]);
  });

  it('sends a text that ends with the number of a run, and takes no completion of an earlier text', async () => {
    const composer = make();
    composer.update(view(), false, false);
    const prompt = find(composer.element, 'prompt');
    document.body.append(composer.element);
    prompt.focus();
    composer.text = '/f';
    fire(prompt, 'input');
    await nextTurn();
    composer.text = 'Why did etl #3';
    fire(prompt, 'keydown', { key: 'Enter' });
    assert.deepEqual([composer.text, calls], ['Why did etl #3', []]);
    fire(prompt, 'keydown', { key: 'Enter' });
    assert.deepEqual(calls, [['send', 'Why did etl #3']]);
  });

  it('closes the completions with Escape, which stops no answer', async () => {
    const composer = make();
    composer.update(view(), true, false);
    const prompt = find(composer.element, 'prompt');
    document.body.append(composer.element);
    prompt.focus();
    composer.text = '/';
    fire(prompt, 'input');
    await nextTurn();
    assert.equal(fire(prompt, 'keydown', { key: 'Escape' }), true);
    assert.equal(find(composer.element, 'completions').children.length, 0);
    assert.equal(fire(prompt, 'keydown', { key: 'Escape' }), false);
  });

  it('sends no empty text, and stops an answer', async () => {
    const composer = make();
    composer.update(view(), false, false);
    composer.text = ' ';
    const send = find(composer.element, 'send');
    assert.equal(send.disabled, true);
    click(send);
    composer.text = 'why';
    assert.equal(send.disabled, false);
    composer.update(view(), true, false);
    assert.deepEqual([send.hidden, find(composer.element, 'stop').hidden], [true, false]);
    click(find(composer.element, 'stop'));
    assert.deepEqual(calls, [['stop']]);
  });

  it('queues messages while an answer is written', async () => {
    const composer = make();
    const queue = [{ id: 'q', text: 'then this', labels: ['a.py'], isNext: true }];
    composer.update(view({ queue }), true, false);
    composer.text = 'next';
    fire(find(composer.element, 'prompt'), 'keydown', { key: 'Enter' });
    await nextTurn();
    assert.deepEqual([calls, composer.text], [[['send', 'next']], '']);
    const waiting = find(composer.element, 'queue');
    assert.match(waiting.textContent, /Next.*a\.py, then this/);
    for (const name of ['Stop the answer and send this now', 'Move back to the prompt', 'Remove from the queue'])
      click(find(waiting, name));
    assert.deepEqual(calls.slice(1), [['sendQueued'], ['takeBack', 'q', true], ['takeBack', 'q', false]]);
    composer.update(view({ queue: [{ id: 'q', text: 'of another branch', labels: [], isNext: false }] }), true, false);
    assert.match(waiting.textContent, /^Queued/);
    composer.update(view({ queue }), false, false);
    assert.match(waiting.textContent, /did not finish.*Queued/);
    composer.update(view(), false, false);
    assert.equal(waiting.hidden, true);
  });

  it('takes back the last message with ArrowUp if it is empty', () => {
    const composer = make();
    const prompt = find(composer.element, 'prompt');
    composer.update(view(), false, false);
    assert.equal(fire(prompt, 'keydown', { key: 'ArrowUp' }), false);
    previous = 'before';
    assert.equal(fire(prompt, 'keydown', { key: 'ArrowUp' }), true);
    assert.equal(composer.text, 'before');
    assert.equal(fire(prompt, 'keydown', { key: 'ArrowUp' }), false, 'the arrow moves in the text');
    composer.text = '';
    composer.update(view({ queue: [{ id: 'q', text: 'x', labels: [], isNext: true }] }), true, false);
    fire(prompt, 'keydown', { key: 'ArrowUp' });
    assert.deepEqual(calls, [['takeBack', 'q', true]]);
  });

  it('attaches only dropped files and rows of the jobs view', () => {
    const { element } = make();
    document.body.append(element);
    const drag = (type: string, data: Record<string, string>, types = Object.keys(data)): boolean =>
      fire(element, type, { dataTransfer: { types, getData: (kind: string) => data[kind] ?? '' } });
    const marked = (): boolean => document.body.classList.contains('dropping');
    const text = { 'text/plain': 'a' };
    assert.deepEqual([drag('dragover', text), marked(), drag('drop', text)], [false, false, false]);
    const files = { 'text/uri-list': 'file:///a.py\r\n# of the workspace\r\nfile:///b%20c.py\r\n' };
    assert.deepEqual([drag('dragover', files), marked()], [true, true]);
    drag('dragleave', files);
    assert.equal(marked(), false);
    drag('dragover', files);
    assert.deepEqual([drag('drop', files), marked()], [true, false]);
    drag('drop', { ...files, 'application/vnd.code.uri-list': 'vscode-remote://x/a.py' });
    drag('drop', { 'text/uri-list': '' });
    drag('drop', { 'application/vnd.code.tree.other': '' });
    drag('drop', { 'application/vnd.code.tree.millrace.jobs': '', 'text/uri-list': '' });
    assert.deepEqual(calls, [
      ['attach', { uris: ['file:///a.py', 'file:///b%20c.py'] }],
      ['attach', { uris: ['vscode-remote://x/a.py'] }],
      ['attach', { uris: [] }],
    ]);
  });

  it('attaches what completes a # word, in place of the word', async () => {
    const items = [
      { text: '#file', detail: 'File' },
      { text: '#etl/fix.py', detail: '', uri: 'file:///etl/fix.py' },
    ];
    const composer = new Composer({
      ...actionsOf(),
      complete: async (text) => (calls.push(['complete', text]), items),
    });
    const prompt = find(composer.element, 'prompt');
    document.body.append(composer.element);
    prompt.focus();
    const complete = async (...keys: string[]): Promise<void> => {
      Object.assign(prompt, { value: 'why #fi so' });
      prompt.setSelectionRange(7, 7);
      fire(prompt, 'input');
      await nextTurn();
      for (const key of keys) fire(prompt, 'keydown', { key });
    };
    await complete('Enter');
    assert.equal(composer.text, 'why  so');
    await complete('ArrowDown', 'Tab');
    assert.deepEqual(
      calls.filter(([name]) => name === 'complete' || name === 'attach'),
      [
        ['complete', '#fi'],
        ['attach', { named: 'file' }],
        ['complete', '#fi'],
        ['attach', { uris: ['file:///etl/fix.py'] }],
      ],
    );
  });

  it('goes on with the names of a kind, and attaches the chosen one', async () => {
    const composer = new Composer({
      ...actionsOf(),
      complete: async (text) =>
        text === '#ru'
          ? [{ text: '#run:', detail: 'Run' }]
          : [{ text: '#run:etl #3', detail: 'Failed', named: 'run:7' }],
    });
    const prompt = find(composer.element, 'prompt');
    document.body.append(composer.element);
    prompt.focus();
    Object.assign(prompt, { value: 'why #ru' });
    fire(prompt, 'input');
    await nextTurn();
    fire(prompt, 'keydown', { key: 'Enter' });
    assert.equal(composer.text, 'why #run:');
    await nextTurn();
    fire(prompt, 'keydown', { key: 'Enter' });
    assert.equal(composer.text, 'why ');
    assert.deepEqual(calls.at(-1), ['attach', { named: 'run:7' }]);
  });

  it('completes no # within a word', async () => {
    const composer = new Composer({ ...actionsOf(), complete: async (text) => (calls.push(['complete', text]), []) });
    composer.text = 'etl#3';
    fire(find(composer.element, 'prompt'), 'input');
    await nextTurn();
    assert.deepEqual(calls, []);
  });
});

describe('DraftKeeper', () => {
  let sent: unknown[];
  let stored: UnsentDraft;
  let saving: ((value: unknown) => void)[];
  inPage();
  beforeEach(() => {
    [sent, stored, saving] = [[], undefined, []];
  });
  const keeper = (unsent?: UnsentDraft): DraftKeeper =>
    new DraftKeeper(
      ({ atMs: _atMs, ...draft }) => {
        sent.push(draft);
        return new Promise((resolve) => saving.push(resolve));
      },
      (draft) => (stored = draft),
      unsent,
    );
  /** Confirms that all drafts are on disk. */
  const saved = async (): Promise<void> => {
    for (const resolve of saving.splice(0)) resolve(undefined);
    await Promise.resolve();
    await Promise.resolve();
  };
  const kept = (): unknown => {
    const { atMs: _atMs, ...rest } = stored ?? {};
    return stored && rest;
  };
  it('sends the first change at once and later ones together', async () => {
    const drafts = keeper();
    assert.equal(drafts.take({ id: 'a', text: 'old' }), 'old');
    drafts.change({ text: 'w' });
    drafts.change({ text: 'wh' });
    drafts.change({ text: 'why' });
    assert.deepEqual([sent, kept()], [[{ id: 'a', text: 'w' }], { id: 'a', text: 'why' }]);
    await saved();
    assert.deepEqual(kept(), { id: 'a', text: 'why' }, 'the rest is still to be sent');
    pass(1000);
    assert.deepEqual(
      [sent.slice(1), kept()],
      [[{ id: 'a', text: 'why' }], { id: 'a', text: 'why' }],
      'not on disk yet',
    );
    await saved();
    assert.equal(stored, undefined);
    pass(1000);
    assert.equal(sent.length, 2);
    drafts.change({ text: 'why?' });
    assert.equal(sent.length, 3);
  });

  it('keeps the whole draft until all parts are saved', async () => {
    const drafts = keeper();
    drafts.take({ id: 'a', text: '' });
    drafts.change({ text: 'why' });
    drafts.change({ edit: { turnId: 't', text: 'e' } });
    assert.deepEqual(kept(), { id: 'a', text: 'why', edit: { turnId: 't', text: 'e' } });
    pass(1000);
    drafts.change({ toolResults: { answerId: 'n', contents: ['5'] } });
    assert.deepEqual(kept(), {
      id: 'a',
      text: 'why',
      edit: { turnId: 't', text: 'e' },
      toolResults: { answerId: 'n', contents: ['5'] },
    });
    pass(1000);
    await saved();
    assert.equal(stored, undefined);
  });

  it('keeps a draft with its conversation', () => {
    const drafts = keeper();
    drafts.take({ id: 'a', text: '', edit: { turnId: 't', text: 'e' } });
    assert.deepEqual([drafts.editOf('t'), drafts.editOf('u')], ['e', undefined]);
    drafts.change({ text: 'x' });
    drafts.change({ text: 'xy' });
    assert.equal(drafts.take({ id: 'a', text: 'other' }), undefined, 'what is on screen is newer');
    assert.equal(drafts.take({ id: 'b', text: 'of b', toolResults: { answerId: 'n', contents: ['4'] } }), 'of b');
    assert.deepEqual(sent, [
      { id: 'a', text: 'x' },
      { id: 'a', text: 'xy' },
    ]);
    assert.deepEqual([drafts.editOf('t'), drafts.resultsOf('n'), drafts.resultsOf('m')], [undefined, ['4'], []]);
    drafts.change({ toolResults: { answerId: 'n', contents: ['5'] }, edit: { turnId: 't', text: 'f' } });
    assert.deepEqual([drafts.resultsOf('n'), drafts.editOf('t')], [['5'], 'f']);
  });

  it('restores only a draft that is newer than the saved one', () => {
    const unsent = { id: 'a', atMs: 1000, text: 'of before' };
    assert.equal(keeper(unsent).take({ id: 'a', text: 'of then', atMs: 1000 }), 'of then');
    assert.equal(keeper(unsent).take({ id: 'a', text: '', atMs: 2000 }), '');
    assert.deepEqual(sent, []);
    assert.equal(keeper(unsent).take({ id: 'a', text: 'older', atMs: 999 }), 'of before');
    assert.deepEqual(sent, [{ id: 'a', text: 'of before' }]);
  });

  it('leaves a refused message with its conversation when another is shown', async () => {
    const drafts = keeper();
    const early = drafts.whileSent(async () => false);
    drafts.take({ id: 'a', text: '' });
    assert.equal(await early, false, 'until one is known, it belongs to the one that comes');
    drafts.change({ text: 'w' });
    drafts.change({ text: 'why' });
    const [there, elsewhere] = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()];
    const stays = drafts.whileSent(() => (sent.push('send'), there.promise));
    assert.deepEqual(sent, [{ id: 'a', text: 'w' }, { id: 'a', text: 'why' }, 'send'], 'first what was typed of it');
    there.resolve(false);
    assert.equal(await stays, false);
    const leaves = drafts.whileSent(() => elsewhere.promise);
    drafts.take({ id: 'b', text: '' });
    assert.equal(drafts.id, 'b');
    elsewhere.resolve(false);
    assert.equal(await leaves, true);
    assert.equal(await drafts.whileSent(async () => true), true);
  });

  it('sends the unsent draft of the previous page', () => {
    const same = keeper({ id: 'a', text: 'newer' });
    assert.equal(same.take({ id: 'a', text: 'older', edit: { turnId: 't', text: 'e' } }), 'newer');
    assert.deepEqual([sent, same.editOf('t')], [[{ id: 'a', text: 'newer' }], 'e']);
    const other = keeper({ id: 'a', text: 'of a' });
    assert.equal(other.take({ id: 'b', text: 'of b' }), 'of b');
    assert.deepEqual(sent.slice(1), [{ id: 'a', text: 'of a' }]);
  });
});

describe('UserTurnView', () => {
  inPage();

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
    return { view, turn, element: view.element };
  };
  it('edits a message in place: keeps what is typed, sends with Enter, cancels with Escape', async () => {
    const { element } = made();
    document.body.append(element);
    const [edit, tools, bubble] = ['Edit and resend', 'turn-tools', 'bubble'].map((name) => find(element, name));
    const begin = () => {
      click(edit);
      return find(element, 'edit-input');
    };
    const input = begin();
    assert.deepEqual(
      [input.value, Number((input as unknown as HTMLTextAreaElement).rows), tools?.hidden, bubble?.hidden],
      ['why', 2, true, true],
    );
    input.value = 'why not';
    fire(input, 'input');
    assert.deepEqual(calls, [['keep', 'u', 'why not']]);
    // An IME uses these keys while it composes; Shift+Enter starts a new line.
    assert.deepEqual(
      [
        fire(input, 'keydown', { key: 'Enter', isComposing: true }),
        fire(input, 'keydown', { key: 'Escape', isComposing: true }),
        fire(input, 'keydown', { key: 'Enter', shiftKey: true }),
        fire(input, 'keydown', { key: 'a' }),
      ],
      [false, false, false, false],
    );
    assert.equal(calls.length, 1);
    // A message that could not be sent stays in the editor.
    isSent = false;
    assert.equal(fire(input, 'keydown', { key: 'Enter' }), true);
    await settle();
    assert.deepEqual([calls.splice(1), element.contains(input)], [[['send', 'u', 'why not']], true]);
    isSent = true;
    click(find(element, 'Resend'));
    await settle();
    assert.deepEqual(calls.splice(1), [
      ['send', 'u', 'why not'],
      ['keep', 'u', undefined],
    ]);
    assert.deepEqual([element.contains(input), tools?.hidden, bubble?.hidden], [false, false, false]);
    assert.ok(document.activeElement === edit);
    // Editing starts again with the sent text, and the page must not see this Escape.
    const again = begin();
    assert.equal(again.value, 'why');
    let isHeard = false;
    element.addEventListener('keydown', () => (isHeard = true));
    fire(again, 'keydown', { key: 'Escape' });
    assert.deepEqual([isHeard, element.contains(again), calls.at(-1)], [false, false, ['keep', 'u', undefined]]);
    const third = begin();
    click(find(element, 'Cancel'));
    assert.deepEqual([element.contains(third), calls.at(-1)], [false, ['keep', 'u', undefined]]);
  });
});
