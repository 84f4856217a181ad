import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { assertApproved } from '../../../support/approved.ts';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { outline } from '../../../support/editorStandIn/outline.ts';
import { leavePage, page, usePage } from '../../../support/editorStandIn/page.ts';
import { holdTrail } from '../../../support/trail.ts';
import { notedIn, view } from './viewParts.ts';

usePage();
const { Composer } = await import('../../../../src/chat/webview/composer.ts');
leavePage();

describe("the place for the prompt on the chat's page", () => {
  holdTrail(import.meta.url);
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

  it('tells nothing of where a message goes until that is known', () => {
    const composer = make();
    const visibility = (): unknown => of(composer.element).find('toolbar').style['visibility'];
    const before = visibility();
    composer.update(view(), false, false);
    assert.deepEqual([before, visibility()], ['hidden', '']);
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
    for (const name of ['Stop the answer and send this now', 'Move back to the prompt', 'Remove from the queue'])
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

  it('shows production, parameters and attachments', () => {
    const composer = make();
    composer.update(
      view({
        attachments: [
          { label: 'a.py', size: 640 },
          { label: 'b.py', size: 84_000 },
        ],
        parameters: { temperature: 1, top_p: 0.5 },
      }),
      false,
      true,
    );
    const element = of(composer.element);
    assert.deepEqual(
      [element.find('changed-count').textContent, element.find('marked').title],
      ['2', 'Parameters, 2 changed'],
    );
    assert.deepEqual(
      [
        element.find('production').hidden,
        element.find('marked').getAttribute('aria-expanded'),
        element.find('send').disabled,
      ],
      [true, 'true', false],
    );
    element
      .all()
      .filter(({ classes }) => classes.has('small'))[1]
      ?.does('click');
    assert.deepEqual(calls, [['remove', 1]]);
    composer.update(view({ profile: { name: 'P', isProduction: true, isLocal: false } }), false, false);
    assert.equal(element.find('production').hidden, false);
  });

  it('names the endpoint and lets another be chosen', () => {
    const composer = make();
    const endpoint = of(composer.element).find('endpoint');
    composer.update(view({ endpoint: 'other' }), false, false);
    assert.deepEqual([endpoint.textContent, endpoint.title], ['other', 'Endpoint other. Choose another endpoint']);
    composer.update(view({ endpoints: { status: 'loading', items: [] }, endpoint: undefined }), false, false);
    assert.equal(endpoint.textContent, 'Loading endpoints…');
    composer.update(view({ endpoints: { status: 'ready', items: [] }, endpoint: undefined }), false, false);
    assert.equal(endpoint.textContent, 'No chat endpoints');
    endpoint.does('click');
    assert.deepEqual(calls, [['endpoint']]);
  });

  it('is sent by its button, typed on for lists, and asks at a # that begins a word and is no composition', async () => {
    const composer = make();
    composer.update(view(), false, false);
    const element = of(composer.element);
    const prompt = element.find('prompt');
    composer.text = 'why';
    element.find('send').does('click');
    await nextTurn();
    assert.deepEqual(calls.splice(0), [['send', 'why']]);
    const typed = async (text: string, fields: object): Promise<unknown[]> => {
      prompt.value = text;
      Object.assign(prompt, { selectionStart: text.length });
      taken = false;
      prompt.does('input', fields);
      await nextTurn();
      return calls.splice(0);
    };
    assert.deepEqual(await typed('a #', { data: '#' }), [['attach']]);
    assert.deepEqual(await typed('#', { data: '#' }), [['attach']]);
    assert.deepEqual(await typed('a#', { data: '#' }), []);
    assert.deepEqual(await typed('a #', { data: 'x' }), []);
    assert.deepEqual(await typed('a #', { data: '#', isComposing: true }), []);
  });

  it('is a list of lines where a playground takes each for itself, which Enter does not send', async () => {
    const composer = make();
    const element = of(composer.element);
    const prompt = element.find('prompt');
    const byLine = { each_line: true } as never;
    composer.update(view({ parameters: byLine }), false, false);
    composer.text = 'one';
    assert.equal(prompt.does('keydown', { key: 'Enter' }), true, 'a chat has no lists');
    await nextTurn();
    assert.deepEqual(calls.splice(0), [['send', 'one']]);
    composer.update(view({ task: 'embedding', parameters: {} }), false, false);
    const placeholder = String((prompt as { placeholder?: string }).placeholder);
    composer.text = 'one';
    assert.equal(prompt.does('keydown', { key: 'Enter' }), true);
    await nextTurn();
    calls.length = 0;
    composer.update(view({ task: 'embedding', parameters: byLine }), false, false);
    assert.notEqual((prompt as { placeholder?: string }).placeholder, placeholder);
    composer.text = 'one';
    assert.equal(prompt.does('keydown', { key: 'Enter' }), false);
    for (const key of [{ ctrlKey: true }, { metaKey: true }]) {
      composer.text = 'two';
      assert.equal(prompt.does('keydown', { key: 'Enter', ...key }), true);
      await nextTurn();
    }
    assert.deepEqual(calls.splice(0), [
      ['send', 'two'],
      ['send', 'two'],
    ]);
  });

  it('tells the host what was typed while a message was on its way, and nothing where nothing was', async () => {
    const drafts: string[] = [];
    const sent = Promise.withResolvers<boolean>();
    let answers = sent.promise;
    const composer = new Composer({
      ...actionsOf(),
      send: () => answers,
      draftChanged: (text) => void drafts.push(text),
    });
    composer.update(view(), false, false);
    composer.text = 'why';
    of(composer.element).find('send').does('click');
    composer.restore('new');
    drafts.length = 0;
    sent.resolve(true);
    await nextTurn();
    assert.deepEqual(drafts, ['new']);
    answers = Promise.resolve(true);
    of(composer.element).find('send').does('click');
    drafts.length = 0;
    await nextTurn();
    assert.deepEqual([drafts, composer.text], [[], '']);
  });

  it('scrolls where it would be higher than 220 pixels', () => {
    const composer = make();
    const prompt = of(composer.element).find('prompt');
    for (const [scrollHeight, height, overflowY] of [
      [40, '40px', 'hidden'],
      [220, '220px', 'hidden'],
      [221, '220px', 'auto'],
    ] as const) {
      Object.assign(prompt, { scrollHeight });
      composer.text = 'x';
      assert.deepEqual([prompt.style['height'], prompt.style['overflowY']], [height, overflowY]);
    }
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

  it('shows and names all that a message goes with, in every state', () => {
    const guide = { names: ['list_jobs'], isOn: true, isFixed: true, isUnderWay: false };
    const states: Record<string, [Parameters<typeof view>[0], isStreaming?: boolean, isPanelOpen?: boolean]> = {
      'nothing yet': [{}],
      'an answer that is written': [{}, true],
      'one parameter': [{ parameters: { top_p: 0.5 } }, false, true],
      attachments: [{ attachments: [{ label: 'a.py', size: 84_000 }] }],
      'tools that are off': [{ tools: { ...guide, isOn: false, isFixed: false } }],
      'tools that are on': [{ tools: { ...guide, isFixed: false }, nextStops: true }, true],
      'tools of the guide': [{ tools: guide }],
      'no tools again': [{ profile: { name: 'Live', isProduction: true, isLocal: false } }],
      completions: [{ task: 'completion' }],
      'completions, each line': [{ task: 'completion', parameters: { each_line: true } }],
      'vectors, while one is written': [{ task: 'embedding', parameters: { each_line: true } }, true],
      'a chat without endpoints': [{ endpoints: { status: 'ready', items: [] }, endpoint: undefined }],
    };
    const composer = make();
    const texts = Object.entries(states).map(([name, [state, isStreaming = false, isPanelOpen = false]]) => {
      composer.update(view(state), isStreaming, isPanelOpen);
      const { placeholder = '' } = of(composer.element).find('prompt') as { placeholder?: string };
      return `${name}: ${placeholder}\n${outline(composer.element, 1)}`;
    });
    assertApproved('chat-composer', texts.join(''));
  });

  it('asks the host for what its buttons say', () => {
    const composer = make();
    const element = of(composer.element);
    const press = (name: string): unknown[][] => {
      element.find(name).does('click');
      return calls.splice(0);
    };
    const tools = { names: ['f'], isOn: false, isFixed: false, isUnderWay: false };
    composer.update(view({ tools, task: 'completion' }), false, false);
    const attach = 'Attach a selection, file, problems or run (#), or drag it here with Shift';
    const look = 'The model sees only what you send. Let it read your jobs, runs and files';
    assert.deepEqual(
      [press(look), press('One Input per Line'), press('profile'), press('Parameters'), press(attach)],
      [[['offerTools', true]], [['separateLines', true]], [['profile']], [['parameters']], [['attach']]],
    );
    composer.update(
      view({ tools: { ...tools, isOn: true }, task: 'completion', parameters: { each_line: true } }),
      false,
      false,
    );
    const stop = 'The model may read your jobs, runs and files. Turn off';
    assert.deepEqual([press(stop), press('One Input per Line')], [[['offerTools', false]], [['separateLines', false]]]);
    composer.update(view({ tools: { ...tools, isOn: true, isFixed: true } }), false, false);
    assert.deepEqual(press('The guide can read your jobs and runs. They stay on this machine'), []);
  });

  it('takes the newest that waits back, and nothing while a composition is open', () => {
    const composer = make();
    const prompt = of(composer.element).find('prompt');
    const queue = ['q1', 'q2'].map((id) => ({ id, text: id, labels: [], isNext: id === 'q1' }));
    composer.update(view({ queue }), true, false);
    assert.equal(prompt.does('keydown', { key: 'ArrowUp', isComposing: true }), false);
    assert.deepEqual(calls, []);
    prompt.does('keydown', { key: 'ArrowUp' });
    assert.deepEqual(calls, [['takeBack', 'q2', true]]);
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

  it('sends attachments alone, keeps the cursor where the text is the same, and the focus where its button goes', async () => {
    const composer = make();
    const element = of(composer.element);
    composer.update(view({ attachments: [{ label: 'a.py', size: 1 }] }), false, false);
    element.find('prompt').does('keydown', { key: 'Enter' });
    await nextTurn();
    assert.deepEqual(calls, [['send', '']]);
    let set = 0;
    const input = element.find('prompt');
    const value = { get: () => 'same', set: (_text: string): void => void (set += 1) };
    Object.defineProperty(input, 'value', value);
    composer.restore('same');
    assert.equal(set, 0);
    // A browser takes the focus from a button that is hidden.
    const hide = (_is: boolean): void => page.body.focus();
    const send = Object.defineProperty(element.find('send'), 'hidden', { set: hide, get: () => false });
    page.activeElement = send;
    composer.update(view(), true, false);
    assert.ok(page.activeElement === input);
    Object.assign(page, { isFocused: false });
    page.activeElement = send;
    composer.focus();
    assert.ok(page.activeElement === page.body, 'an editor that was opened meanwhile keeps the focus');
    Object.assign(page, { isFocused: true });
  });
});
