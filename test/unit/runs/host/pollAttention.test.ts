import assert from 'node:assert/strict';
import type { PollAttention, PollAttentionOptions } from '../../../../src/runs/host/pollAttention.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { pollAttention } = await import('../../../../src/runs/host/pollAttention.ts');

describe('how closely the poller looks', () => {
  let looks: string[];
  let seen: { isVisible: boolean; areGoing: boolean; active: number };
  let attention: PollAttention;
  let visibility: Emitter<boolean>;
  let known: Emitter<never>;
  const set = (change: Partial<typeof seen>): string | undefined => {
    Object.assign(seen, change);
    attention.update();
    return looks.at(-1);
  };

  beforeEach(() => {
    editor.reset();
    looks = [];
    seen = { isVisible: false, areGoing: false, active: 0 };
    [visibility, known] = [new Emitter(), new Emitter()];
    const options = {
      poller: { setAttention: (look: string) => void looks.push(look) },
      store: {
        get activeRuns() {
          return Array.from({ length: seen.active });
        },
        onDidChange: known.event,
      },
      view: {
        get isVisible() {
          return seen.isVisible;
        },
        onDidChangeVisibility: visibility.event,
      },
      started: {
        get areGoing() {
          return seen.areGoing;
        },
      },
    } as unknown as PollAttentionOptions;
    attention = pollAttention(options);
  });
  afterEach(() => attention.dispose());

  it('is in full where the view is seen, in a window that is looked at', () => {
    assert.deepEqual([set({}), set({ isVisible: true })], ['none', 'full']);
    standIn.window.state = { focused: false };
    assert.equal(set({}), 'none');
  });

  it('is slow where only the number of active runs is seen', () => {
    assert.equal(set({ active: 1 }), 'slow');
    standIn.window.state = { focused: false };
    assert.equal(set({}), 'none');
  });

  it('is in full where the end of a run is waited for, whoever looks', () => {
    standIn.window.state = { focused: false };
    assert.equal(set({ areGoing: true }), 'full');
  });

  it('is in full while a page shows what is known, each page by itself', () => {
    const [one, other] = [attention.attend(), attention.attend()];
    assert.equal(looks.at(-1), 'full');
    one.dispose();
    assert.equal(looks.at(-1), 'full');
    other.dispose();
    assert.deepEqual(looks, ['full', 'full', 'full', 'none']);
  });

  it('is thought over whenever any of that may have changed, until it is disposed of', () => {
    const changes = [
      () => visibility.fire(true),
      () => known.fire(undefined as never),
      () => editor.events.windowState.fire(undefined),
    ];
    for (const change of changes) change();
    assert.equal(looks.length, 3);
    attention.dispose();
    for (const change of changes) change();
    assert.equal(looks.length, 3);
  });
});
