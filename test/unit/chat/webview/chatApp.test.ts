import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ConversationEvent } from '../../../../src/chat/conversationEvent.ts';
import { assertApproved } from '../../../support/approved.ts';
import { outline } from '../../../support/editorStandIn/outline.ts';
import { page } from '../../../support/editorStandIn/page.ts';
import { holdTrail } from '../../../support/trail.ts';
import {
  chatBench,
  created,
  ended,
  fieldsOfEachKind,
  held,
  longConversation,
  said,
  started,
  user,
} from './chatBench.ts';
import { noTools } from './viewParts.ts';

describe("the chat's page, as it is drawn", () => {
  holdTrail(import.meta.url);
  const { snapshot, open, asked, forget, say, press } = chatBench();

  it("gives code the colours of the editor's theme, and takes them back with another theme", async () => {
    await open(snapshot(null));
    const { style } = page.body;
    const none = {
      comment: '',
      keyword: '',
      literal: '',
      key: '',
      string: '',
      number: '',
      name: '',
      title: '',
      type: '',
    };
    say({ type: 'codeColours', colours: { ...none, comment: '#000001', type: '#000002' } });
    assert.deepEqual([style['--code-comment'], style['--code-type'], style['--code-name']], ['#000001', '#000002', '']);
    say({ type: 'codeColours', colours: none });
    assert.deepEqual([style['--code-comment'], style['--code-type']], ['', '']);
  });

  it('begins with what can be asked and what was held before', async () => {
    const chat = await open(
      snapshot(null, {
        suggestions: [{ title: 'T', prompt: 'Do it' }],
        recent: [
          { id: 'a', title: 'Old', updatedAtMs: created, isWriting: false, isUnread: false },
          { id: 'b', title: '', updatedAtMs: created, isWriting: true, isUnread: false },
          { id: 'd', title: 'New', updatedAtMs: created, isWriting: false, isUnread: true },
        ],
        offersRoom: true,
        parameterFields: [...fieldsOfEachKind, { name: 'other', kind: 'json', description: 'Other' }],
        parameters: { temperature: 0.5 },
        attachments: [{ label: 'a.py', size: 12 }],
        tools: { ...noTools, names: ['list_jobs'] },
      }),
    );
    assertApproved('chat-empty', outline(chat));
    chat.find('Parameters, 1 changed').does('click');
    assertApproved('chat-parameters', outline(chat.find('parameters')));
    for (const name of ['suggestion', 'recent-item', 'Show all', 'Remove a.py', 'endpoint', 'profile'])
      chat.find(name).does('click');
    const dataTransfer = { types: ['text/uri-list'], getData: () => 'file:///a.py' };
    chat.find('prompt').does('drop', { dataTransfer });
    await nextTurn();
    assert.deepEqual(asked(), [
      ['openConversation', { id: 'a' }],
      ['showHistory'],
      ['removeAttachment', { index: 0 }],
      ['chooseEndpoint'],
      ['chooseProfile'],
      ['attachContext', { uris: ['file:///a.py'] }],
      ['send', { id: 'new', text: 'Do it', toolResults: undefined }],
    ]);
  });

  it('has the focus in the prompt once what had it is hidden or gone, and leaves it where it is otherwise', async () => {
    const begun = snapshot(held(user('u1', null, 'Why?')), {}, { sequence: 2 });
    const recent = [{ id: 'a', title: 'T', updatedAtMs: 1, isWriting: false, isUnread: false }];
    for (const [name, isTaken] of [
      ['recent-item', true],
      ['endpoint', false],
    ] as const) {
      const chat = await open(snapshot(null, { recent }));
      const place = chat.find(name);
      place.focus();
      say({ type: 'snapshot', snapshot: begun });
      assert.equal(page.activeElement, isTaken ? chat.find('prompt') : place, name);
    }
  });

  it('shows every kind of turn', async () => {
    const chat = await open(snapshot(longConversation, { tools: { ...noTools, names: ['list_jobs'], isOn: true } }));
    assertApproved('chat-conversation', outline(chat.find('messages')));
  });

  it('shows how an answer is going, what waits behind it, and what is wrong', async () => {
    const failure = { kind: 'server', message: 'Not well.', remedy: 'Wait.' };
    const streaming = held(user('u1', null, 'Why?'), started('a1', 'u1'), said('a1', 'Be', { reasoning: 'hm' }));
    const chat = await open(
      snapshot(streaming, {
        queue: [{ id: 'q', text: 'then', labels: ['b.py'], isNext: true }],
        notice: { kind: 'disk', message: 'Not written.' },
        otherProfile: 'Q',
        endpoints: { status: 'failed', items: [], failure },
        profile: { name: 'P', isProduction: true, isLocal: false },
      }),
    );
    assertApproved('chat-streaming', outline(chat));
    for (const name of ['Retry', 'Choose Profile', 'Continue with P', 'Dismiss'])
      chat.find('notices').find(name).does('click');
    assert.deepEqual(asked(), [['refreshEndpoints'], ['chooseProfile'], ['adoptProfile'], ['dismissNotice']]);
  });

  it('shows each end of an answer with what can be done about it', async () => {
    const failure = { kind: 'server', message: 'No.', remedy: 'Wait.' };
    const ends: Record<string, ConversationEvent[]> = {
      stopped: [said('a', 'Be'), ended('a', 'stopped')],
      'stopped before a word': [ended('a', 'stopped')],
      'cut off': [said('a', 'Be'), ended('a', 'cutOff')],
      failed: [ended('a', 'failed', failure)],
      'failed to sign in': [ended('a', 'failed', { kind: 'unauthenticated', message: 'Who?' })],
      filtered: [said('a', 'x', { finishReason: 'content_filter' }), ended('a')],
      'without a reason': [said('a', 'x', { finishReason: '' }), ended('a')],
      'another reason': [said('a', 'x', { finishReason: 'mood' }), ended('a')],
      empty: [said('a', '', { finishReason: 'stop' }), ended('a')],
      long: [said('a', 'x', { finishReason: 'length' }), ended('a')],
    };
    const shown: string[] = [];
    for (const [name, events] of Object.entries(ends)) {
      const chat = await open(
        snapshot(held(user('u', null, 'Q'), started('a', 'u'), ...events), { parameters: { max_tokens: 1500 } }),
      );
      const outcome = chat.find('outcome');
      shown.push(`${name}:\n${outline(outcome)}`);
      forget();
      for (const button of outcome.all().filter(({ tag }) => tag === 'button')) button.does('click');
      await nextTurn();
      shown.push(...asked().map((each) => `  ${JSON.stringify(each)}\n`));
      forget();
    }
    assertApproved('chat-outcomes', shown.join(''));
    const talkative = said('a', 'x', { finishReason: 'm'.repeat(5000) });
    const chat = await open(snapshot(held(user('u', null, 'Q'), started('a', 'u'), talkative, ended('a'))));
    assert.match(chat.find('outcome').textContent, /(?<!m)m{100}(?!m)/);
  });

  it('goes back to the end when something is asked or an answer begins, and for nothing else', async () => {
    const asking = held(user('u', null, 'Q'), started('a', 'u'), said('a', 'x'), ended('a'));
    const chat = await open(snapshot(asking));
    const list = chat.find('messages');
    Object.assign(list, { scrollHeight: 1000, clientHeight: 100 });
    let sequence = 1;
    const topAfter = (event: ConversationEvent): number => {
      list.does('keydown', { key: 'PageUp' });
      list.scrollTop = 200;
      say({ type: 'event', conversationId: 'c', sequence: (sequence += 1), event });
      return list.scrollTop;
    };
    assert.equal(topAfter(user('u2', 'a', 'And?')), 1000);
    assert.equal(topAfter(started('a2', 'u2')), 1000);
    assert.equal(topAfter(said('a2', 'y')), 200);
    assert.equal(topAfter(ended('a2')), 200);
  });

  it('stops no answer with the Escape that closes a list', async () => {
    const chat = await open(snapshot(held(user('u', null, 'Q'), started('a', 'u'), said('a', 'x'))));
    const select = page.createElement('select');
    const option = page.createElement('option');
    select.append(option);
    chat.append(select);
    page.activeElement = option;
    press(option, { key: 'Escape' });
    assert.deepEqual(asked(), []);
    page.activeElement = select;
    press(select, { key: 'Escape' });
    assert.deepEqual(asked(), [['stop']]);
  });

  it('asks the host for what is chosen at a turn', async () => {
    const chat = await open(snapshot(longConversation));
    const [first] = chat.all().filter(({ classes }) => classes.has('answer'));
    for (const place of ['turn-tools', 'code-block'])
      for (const button of first?.find(place).all() ?? []) if (button.tag === 'button') button.does('click');
    first?.find('a').does('click');
    assert.equal(first?.find('a').does('keydown', { key: 'Enter' }), true);
    assert.equal(first?.find('a').does('keydown', { key: 'x' }), false);
    await nextTurn();
    assertApproved(
      'chat-asked-of-the-host',
      asked()
        .map((each) => `${JSON.stringify(each)}\n`)
        .join(''),
    );
  });
});
