import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, page, usePage } from '../../../support/editorStandIn/page.ts';
import { notedIn, view } from './viewParts.ts';

usePage();
const { Composer } = await import('../../../../src/chat/webview/composer.ts');
leavePage();

describe("the place for the prompt on the chat's page", () => {
  let calls: unknown[][];
  let taken: boolean;
  let previous: string | undefined;
  const noted = notedIn(() => calls);
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    [calls, taken, previous] = [[], true, undefined];
    page.activeElement = page.body;
  });
  const actionsOf = (): ConstructorParameters<typeof Composer>[0] => ({
    send: async (text) => (calls.push(['send', text]), taken),
    stop: noted('stop'),
    chooseEndpoint: noted('endpoint'),
    attachContext: async (uris) => (calls.push(uris ? ['attach', uris] : ['attach']), taken),
    removeAttachment: noted('remove'),
    chooseProfile: noted('profile'),
    toggleParameters: noted('parameters'),
    separateLines: noted('separateLines'),
    offerTools: noted('offerTools'),
    draftChanged: () => undefined,
    sendQueued: noted('sendQueued'),
    takeBack: noted('takeBack'),
    previousPrompt: () => previous,
  });
  const make = () => new Composer(actionsOf());
  it('is sent by Enter, not by Shift+Enter nor while a composition is open', async () => {
    const composer = make();
    composer.update(view(), false, false);
    composer.text = 'why';
    const prompt = of(composer.element).find('prompt');
    assert.equal(prompt.does('keydown', { key: 'Enter', shiftKey: true }), false);
    assert.equal(prompt.does('keydown', { key: 'Enter', isComposing: true }), false);
    assert.deepEqual(calls, []);
    assert.equal(prompt.does('keydown', { key: 'Enter' }), true);
    await nextTurn();
    assert.deepEqual([calls, composer.text], [[['send', 'why']], '']);
  });

  it('comes back where it was not taken over, before what was typed meanwhile', async () => {
    const composer = make();
    composer.update(view(), false, false);
    taken = false;
    composer.text = 'why';
    of(composer.element).find('send').does('click');
    await nextTurn();
    assert.equal(composer.text, 'why');
    of(composer.element).find('send').does('click');
    composer.text = 'new';
    await nextTurn();
    assert.equal(composer.text, 'why\n\nnew');
  });

  it('sends nothing that is empty, and stops what is written', async () => {
    const composer = make();
    composer.update(view(), false, false);
    composer.text = ' ';
    const send = of(composer.element).find('send');
    assert.equal(send.disabled, true);
    send.does('click');
    composer.text = 'why';
    assert.equal(send.disabled, false);
    composer.update(view(), true, false);
    assert.deepEqual([send.hidden, of(composer.element).find('stop').hidden], [true, false]);
    of(composer.element).find('stop').does('click');
    assert.deepEqual(calls, [['stop']]);
  });

  it('queues with Enter while an answer is written, and shows what waits', async () => {
    const composer = make();
    const queue = [{ id: 'q', text: 'then this', labels: ['a.py'], isNext: true }];
    composer.update(view({ queue }), true, false);
    composer.text = 'next';
    of(composer.element).find('prompt').does('keydown', { key: 'Enter' });
    await nextTurn();
    assert.deepEqual([calls, composer.text], [[['send', 'next']], '']);
    const waiting = of(composer.element).find('queue');
    assert.match(waiting.textContent, /Next.*a\.py, then this/);
    for (const name of ['Stop the answer and send this now', 'Take back into the prompt', 'Remove from the queue'])
      waiting.find(name).does('click');
    assert.deepEqual(calls.slice(1), [['sendQueued'], ['takeBack', 'q', true], ['takeBack', 'q', false]]);
    composer.update(view({ queue: [{ id: 'q', text: 'of another branch', labels: [], isNext: false }] }), true, false);
    assert.match(waiting.textContent, /^Waits/);
    composer.update(view({ queue }), false, false);
    assert.match(waiting.textContent, /^Waits/);
    composer.update(view(), false, false);
    assert.equal(waiting.hidden, true);
  });

  it('gets back what waits or was asked last with ArrowUp, where it is empty', () => {
    const composer = make();
    const prompt = of(composer.element).find('prompt');
    composer.update(view(), false, false);
    assert.equal(prompt.does('keydown', { key: 'ArrowUp' }), false);
    previous = 'before';
    assert.equal(prompt.does('keydown', { key: 'ArrowUp' }), true);
    assert.equal(composer.text, 'before');
    assert.equal(prompt.does('keydown', { key: 'ArrowUp' }), false, 'the arrow moves in the text');
    composer.text = '';
    composer.update(view({ queue: [{ id: 'q', text: 'x', labels: [], isNext: true }] }), true, false);
    prompt.does('keydown', { key: 'ArrowUp' });
    assert.deepEqual(calls, [['takeBack', 'q', true]]);
  });

  it('takes the files and the rows of jobs that are dropped on the page, marked while they are over it, and nothing else', () => {
    usePage();
    const { element } = make();
    page.body.append(of(element));
    const drag = (type: string, data: Record<string, string>, types = Object.keys(data)): boolean =>
      of(element).does(type, { dataTransfer: { types, getData: (kind: string) => data[kind] ?? '' } });
    const marked = (): boolean => page.body.classes.has('dropping');
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
      ['attach', ['file:///a.py', 'file:///b%20c.py']],
      ['attach', ['vscode-remote://x/a.py']],
      ['attach', []],
    ]);
  });

  it('loses its # once something is attached, with the cursor where it was, unless more was typed', async () => {
    const drafts: string[] = [];
    const composer = new Composer({ ...actionsOf(), draftChanged: (text) => void drafts.push(text) });
    const prompt = of(composer.element).find('prompt');
    const type = (text: string, at: number): void => {
      Object.assign(prompt, { value: text, selectionStart: at });
      prompt.does('input', { data: '#' });
    };
    type('why # so', 5);
    prompt.selectionStart = 8;
    await nextTurn();
    assert.deepEqual([composer.text, prompt.selectionStart, drafts], ['why  so', 4, ['why # so', 'why  so']]);
    type('why #', 5);
    prompt.value = 'why # and';
    await nextTurn();
    assert.equal(composer.text, 'why # and');
  });
});
