import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Conversation } from '../../../../src/chat/conversation.ts';
import type { ViewState } from '../../../../src/chat/protocol.ts';
import { assertApproved } from '../../../support/approved.ts';
import { controlName, controlsOf, keys, kindsOf, operate } from '../../../support/editorStandIn/controls.ts';
import { outline } from '../../../support/editorStandIn/outline.ts';
import { type FakeElement, page, passFrames } from '../../../support/editorStandIn/page.ts';
import {
  chatBench,
  created,
  ended,
  fieldsOfEachKind,
  held,
  longConversation,
  said,
  saidTwice,
  started,
  user,
} from './chatBench.ts';
import { noTools } from './viewParts.ts';

const failure = { kind: 'server', message: 'Not well.', remedy: 'Wait.' } as const;
const calls = said('a1', '', {
  toolCalls: [{ index: 0, id: 'c1', name: 'run_job', arguments: '{"job":1}' }],
  finishReason: 'tool_calls',
});
const called = held(user('u1', null, 'Run it'), started('a1', 'u1'), calls, ended('a1'));
const tools = { ...noTools, names: ['run_job'], isOn: true };

/** What the page can show, each with all that can be pressed in it. */
const states: Readonly<Record<string, { of: Conversation | null; view: Partial<ViewState> }>> = {
  'an empty page': {
    of: null,
    view: {
      suggestions: [
        { title: 'T', prompt: 'Do it' },
        { title: 'Fix', prompt: 'Fix it', isDeed: true, icon: 'error', deed: 'Fix' },
      ],
      recent: [{ id: 'a', title: 'Old', updatedAtMs: created, isWriting: false, isUnread: false }],
      offersRoom: true,
      attachments: [
        { label: 'a.py', size: 12 },
        { label: 'b.py', size: 13 },
      ],
      tools,
      parameters: { temperature: 0.5 },
      parameterFields: fieldsOfEachKind,
    },
  },
  'a long conversation': { of: longConversation, view: { tools: { ...tools, names: ['list_jobs'] } } },
  'an answer that is written': {
    of: held(user('u1', null, 'Why?'), started('a1', 'u1'), said('a1', 'Be', { reasoning: 'hm' })),
    view: {
      queue: [
        { id: 'q', text: 'then', labels: ['b.py'], isNext: true },
        { id: 'r', text: 'later', labels: [], isNext: false },
      ],
      notice: { kind: 'disk', message: 'Not written.' },
      otherProfile: 'Q',
      endpoints: { status: 'failed', items: [], failure },
      wait: { failure, attempt: 1, waitUntilMs: created + 20_000, giveUpAtMs: created + 60_000 },
    },
  },
  'calls that change something': {
    of: called,
    view: { tools: { ...tools, offer: { answerId: 'a1', changes: ['Run'] } } },
  },
  'calls that only read': { of: called, view: { tools } },
  'calls of functions that are not built in': { of: called, view: {} },
  'results of calls': {
    of: held(
      user('u1', null, 'Run it'),
      started('a1', 'u1'),
      calls,
      ended('a1'),
      user('r1', 'a1', '', {
        toolResults: [
          {
            toolCallId: 'c1',
            name: 'run_job',
            content: '{}',
            runs: [{ profileId: 'p', runId: '5', label: 'etl #5', isBad: true }],
          },
        ],
      }),
    ),
    view: { tools },
  },
  'an answer that failed': {
    of: held(user('u1', null, 'Why?'), started('a1', 'u1'), ended('a1', 'failed', failure)),
    view: {},
  },
  'a sign-in that is refused': {
    of: held(
      user('u1', null, 'Why?'),
      started('a1', 'u1'),
      ended('a1', 'failed', { kind: 'unauthenticated', message: 'Who?' }),
    ),
    view: {},
  },
  'an answer that was cut off': {
    of: held(user('u1', null, 'Why?'), started('a1', 'u1'), said('a1', 'Be'), ended('a1', 'cutOff')),
    view: {},
  },
  'several choices and variants': {
    of: held(
      user('u1', null, 'Why?'),
      user('u2', null, 'How?'),
      started('a1', 'u2'),
      saidTwice('a1', 'one', 'two', { atMs: created }),
      ended('a1'),
      started('a2', 'u2'),
      saidTwice('a2', 'three', 'four', { atMs: created }),
      ended('a2'),
    ),
    view: {},
  },
};

describe("every control of the chat's page", () => {
  const { snapshot, open, asked, forget, press } = chatBench();

  for (const [name, { of, view }] of Object.entries(states))
    it(`does what was approved: ${name}`, async () => {
      const fresh = async (): Promise<FakeElement> => {
        forget();
        const chat = await open(snapshot(of, view));
        // What is folded can be opened, and is looked into as well.
        for (const each of chat.all()) if (each.tag === 'details') each.open = true;
        forget();
        page.activeElement = page.body;
        return chat;
      };
      const does = async (control: FakeElement | undefined): Promise<string> => {
        assert.ok(control);
        const its = controlName(control);
        operate(control);
        await nextTurn();
        passFrames();
        const focus =
          page.activeElement === page.body ? '' : ` focus: ${controlName(page.activeElement as FakeElement)}`;
        return `${its}: ${JSON.stringify(asked())}${focus}\n`;
      };
      const lines: string[] = [];
      const first = controlsOf(await fresh()).map(controlName);
      for (const [index] of first.entries()) {
        const chat = await fresh();
        lines.push(await does(controlsOf(chat)[index]));
        // What it brought up does something as well.
        const brought = controlsOf(chat).flatMap((each, at) =>
          [...first, 'button.icon-button Copied'].includes(controlName(each)) ? [] : [at],
        );
        for (const at of brought) {
          const again = await fresh();
          const before = controlsOf(again)[index];
          assert.ok(before);
          operate(before);
          await nextTurn();
          passFrames();
          forget();
          lines.push(`  ${await does(controlsOf(again)[at])}`);
        }
      }
      assertApproved(`chat-controls-${name.replaceAll(' ', '-')}`, lines.join(''));
    });

  for (const name of ['an empty page', 'a long conversation', 'an answer that is written'])
    it(`does with each key what was approved: ${name}`, async () => {
      const { of, view } = states[name] ?? assert.fail();
      const fresh = async (): Promise<FakeElement> => {
        forget();
        page.activeElement = page.body;
        const chat = await open(snapshot(of, view));
        forget();
        return chat;
      };
      const lines: string[] = [];
      let chat = await fresh();
      for (const [at] of kindsOf(controlsOf(chat)).entries())
        for (const [keyName, key] of Object.entries(keys)) {
          const control = kindsOf(controlsOf(chat))[at] ?? assert.fail();
          const its = controlName(control);
          control.focus();
          const before = outline(chat);
          const isTaken = press(control, key);
          await nextTurn();
          passFrames();
          const { activeElement } = page;
          const does = [
            ...(isTaken ? ['is taken'] : []),
            ...(asked().length > 0 ? [JSON.stringify(asked())] : []),
            ...(activeElement === control ? [] : [`focus: ${controlName(activeElement as FakeElement)}`]),
            ...(outline(chat) === before ? [] : ['the page changes']),
          ];
          if (does.length === 0) continue;
          lines.push(`${its}, ${keyName}: ${does.join(', ')}\n`);
          chat = await fresh();
        }
      assertApproved(`chat-keys-${name.replaceAll(' ', '-')}`, lines.join(''));
    });
});
