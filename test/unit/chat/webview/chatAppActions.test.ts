import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ConversationEvent } from '../../../../src/chat/conversationEvent.ts';
import { assertApproved } from '../../../support/approved.ts';
import { type FakeElement, page, passFrames } from '../../../support/editorStandIn/page.ts';
import { chatBench, ended, held, longConversation, said, started, user } from './chatBench.ts';
import { noTools, view } from './viewParts.ts';

describe("the chat's page, as it is used", () => {
  const { say, snapshot, answerAll, open, press, asked, forget } = chatBench();

  it('takes events in their order, once, and asks for everything where one is missing', async () => {
    const chat = await open(snapshot(held(user('u1', null, 'Why?'))));
    const event = (sequence: number, of: ConversationEvent, conversationId = 'c'): void =>
      say({ type: 'event', conversationId, sequence, event: of });
    const text = (): string => chat.find('turns').textContent;
    const told = (): string => chat.children.at(-1)?.textContent ?? '';
    event(1, user('u9', null, 'seen before'));
    event(2, user('u9', null, 'elsewhere'), 'other');
    event(2, started('a1', 'u1'));
    assert.equal(told(), 'The answer is being written.');
    assert.equal(chat.find('stop').hidden, false);
    event(3, said('a1', 'Because'));
    assert.match(text(), /Because/);
    assert.doesNotMatch(text(), /seen before|elsewhere/);
    event(4, ended('a1'));
    assert.match(told(), /m/);
    assertApproved(
      'chat-announced',
      `${['done', 'stopped', 'cutOff', 'failed']
        .map((status, index) => {
          event(5 + index, ended('a1', status, { kind: 'server', message: `It ${status}.` }));
          return told();
        })
        .join('\n')}\n`,
    );
    assert.deepEqual(asked(), []);
    event(11, user('u2', 'a1', 'More'));
    assert.deepEqual([asked(), text().includes('More')], [[['ready']], false]);
    await answerAll({ snapshot: snapshot(longConversation, {}, { sequence: 20 }) });
    assert.match(text(), /Partly/);
  });

  it('passes over what is older than what it shows', async () => {
    const chat = await open(snapshot(held(user('u1', null, 'Why?')), { revision: 5 }, { sequence: 3 }));
    say({ type: 'view', view: view({ revision: 4, endpoint: 'old' }) });
    assert.equal(chat.find('endpoint').textContent, 'm');
    say({ type: 'view', view: view({ revision: 6, endpoint: 'next' }) });
    assert.equal(chat.find('endpoint').textContent, 'next');
    say({ type: 'snapshot', snapshot: snapshot(held(), {}, { sequence: 2 }) });
    assert.match(chat.textContent, /Why\?/);
    say({ type: 'snapshot', snapshot: snapshot({ ...held(), id: 'd' }, {}, { sequence: 0 }) });
    assert.doesNotMatch(chat.textContent, /Why\?/);
  });

  it('sends with Enter, and gives the text back where it was refused', async () => {
    const chat = await open(snapshot(null));
    const prompt = chat.find('prompt');
    prompt.value = 'Why?';
    press(prompt, { key: 'Enter' });
    await nextTurn();
    assert.deepEqual(
      [asked().at(-1), prompt.value],
      [['send', { id: 'new', text: 'Why?', toolResults: undefined }], ''],
    );
    await answerAll({ failure: { kind: 'server', message: 'Not now.' } });
    assert.equal(prompt.value, 'Why?');
    const notices = chat.find('notices');
    assert.match(notices.textContent, /Not now\./);
    assert.equal(chat.children.at(-1)?.textContent, 'Not now.');
    notices.find('Dismiss').does('click');
    passFrames();
    assert.equal(notices.textContent, '');
    press(prompt, { key: 'Enter' });
    await nextTurn();
    prompt.value = 'typed since';
    await answerAll({ failure: { kind: 'server', message: 'Not now.' } });
    assert.deepEqual(asked().at(-1), ['changeDraft', { id: 'new', text: 'Why?\n\ntyped since' }]);
  });

  it('says that nothing was sent where there is no endpoint, until there is one', async () => {
    const state = {
      endpoint: undefined,
      endpoints: { status: 'failed' as const, items: [], failure: { kind: 'x', message: 'Down.' } },
    };
    const chat = await open(snapshot(null, state as never));
    const notices = chat.find('notices');
    assert.doesNotMatch(notices.textContent, /Nothing was sent/);
    chat.find('prompt').value = 'Why?';
    press(chat.find('prompt'), { key: 'Enter' });
    await nextTurn();
    await answerAll({ failure: { kind: 'invalid', message: 'No endpoint.' } });
    assert.match(notices.textContent, /Nothing was sent.*Down\./);
    assert.doesNotMatch(notices.textContent, /No endpoint\./, 'it is said once');
    say({ type: 'view', view: view({ revision: 2 }) });
    assert.equal(notices.textContent, '');
  });

  it('sends nothing with parameters that are wrong, and opens them', async () => {
    const fields = [{ name: 'temperature', kind: 'number', description: 'd', minimum: 0, maximum: 2 }];
    const chat = await open(snapshot(null, { parameterFields: fields as never }));
    const panel = chat.find('parameters');
    panel.all().find((each) => (each as { id?: string }).id === 'parameter-temperature')!.value = 'warm';
    panel
      .all()
      .find((each) => (each as { id?: string }).id === 'parameter-temperature')!
      .does('change');
    await answerAll();
    chat.find('prompt').value = 'Why?';
    press(chat.find('prompt'), { key: 'Enter' });
    await nextTurn();
    await answerAll();
    passFrames();
    assert.deepEqual([panel.hidden, asked()], [false, []]);
    assert.match(chat.find('notices').textContent, /parameter/i);
    assert.equal((page.activeElement as { id?: string } | undefined)?.id, 'parameter-temperature');
    assert.equal(press(page.activeElement as FakeElement, { key: 'Escape' }), false);
    assert.equal(panel.hidden, true);
  });

  it('stops an answer with Escape, and nothing where none is written', async () => {
    const chat = await open(snapshot(held(user('u1', null, 'Why?'), started('a1', 'u1'))));
    press(chat.find('prompt'), { key: 'Escape', isComposing: true });
    assert.deepEqual(asked(), []);
    press(chat.find('prompt'), { key: 'Escape' });
    assert.deepEqual(asked(), [['stop']]);
    say({ type: 'event', conversationId: 'c', sequence: 2, event: ended('a1') });
    forget();
    press(chat.find('prompt'), { key: 'Escape' });
    assert.deepEqual(asked(), []);
    say({ type: 'view', view: view({ revision: 9, tools: { ...noTools, isUnderWay: true } }) });
    press(chat.find('prompt'), { key: 'Escape' });
    assert.deepEqual(asked(), [['stop']]);
  });

  it('takes the focus and drafts when the host says so, and never by itself', async () => {
    const chat = await open(snapshot(null, {}, { draft: { id: 'n', text: 'begun' } }));
    const prompt = chat.find('prompt');
    assert.deepEqual([prompt.value, page.activeElement], ['begun', page.body]);
    say({ type: 'focusPrompt' });
    assert.ok(page.activeElement === prompt);
    page.activeElement = page.body;
    say({ type: 'draft', text: 'Explain this' });
    assert.deepEqual([prompt.value, page.activeElement], ['Explain this', prompt]);
    assert.deepEqual(asked(), [['changeDraft', { id: 'n', text: 'Explain this' }]]);
    page.activeElement = page.body;
    window.dispatchEvent(new Event('focus'));
    assert.ok(page.activeElement === prompt);
    chat.find('Send (Enter)').focus();
    window.dispatchEvent(new Event('focus'));
    assert.equal(page.activeElement, chat.find('Send (Enter)'));
    prompt.value = 'Explain that';
    prompt.does('input');
    assert.equal(asked().length, 1);
    window.dispatchEvent(new Event('blur'));
    assert.deepEqual(asked().at(-1), ['changeDraft', { id: 'n', text: 'Explain that' }]);
  });

  it('shows the newest fifty messages of a long conversation, and earlier ones when asked', async () => {
    const events = Array.from({ length: 120 }, (_, index) =>
      user(`u${index}`, index === 0 ? null : `u${index - 1}`, `No ${index}.`),
    );
    const chat = await open(snapshot(held(...events)));
    const shown = (): string[] =>
      chat
        .find('turns')
        .all()
        .filter(({ classes }) => classes.has('plain'))
        .map((each) => each.textContent);
    const earlier = chat.find('earlier');
    assert.deepEqual([shown().length, shown()[0], earlier.hidden], [50, 'No 70.', false]);
    assert.match(earlier.textContent, /70/);
    earlier.does('click');
    passFrames();
    assert.deepEqual([shown().length, shown()[0]], [100, 'No 20.']);
    earlier.does('click');
    passFrames();
    assert.deepEqual([shown().length, shown().at(-1), earlier.hidden], [120, 'No 119.', true]);
    say({ type: 'snapshot', snapshot: snapshot({ ...held(...events), id: 'd' }) });
    assert.equal(shown().length, 50, 'another conversation begins with its newest');
  });
});
