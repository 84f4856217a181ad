import assert from 'node:assert/strict';
import { StreamEvents } from '../../../src/chat/streamEvents.ts';

describe('the events that answers came in', () => {
  const half = 'x'.repeat(100_000);

  it('are kept in their order, each answer by itself', () => {
    const events = new StreamEvents();
    const [a, b] = [events.record('a'), events.record('b')];
    for (const [tell, text] of [
      [a, '1'],
      [b, 'other'],
      [a, '2'],
    ] as const)
      tell(() => text);
    assert.deepEqual(
      [events.of('a'), events.of('b'), events.of('c')],
      [{ events: ['1', '2'] }, { events: ['other'] }, undefined],
    );
  });

  it('are kept up to 200,000 characters; how many were left out is told', () => {
    const events = new StreamEvents();
    const tell = events.record('a');
    tell(() => half);
    tell(() => half);
    assert.deepEqual(events.of('a'), { events: [half, half] });
    // What is not kept is not even made.
    tell(() => assert.fail('there is no room'));
    tell(() => assert.fail('there is no room'));
    assert.deepEqual(events.of('a'), { events: [half, half], left_out: 2 });
  });

  it('are those of the last twenty answers', () => {
    const events = new StreamEvents();
    const ids = Array.from({ length: 21 }, (_, index) => `answer ${index}`);
    for (const id of ids.slice(0, 20)) events.record(id)(() => id);
    assert.deepEqual(events.of('answer 0'), { events: ['answer 0'] });
    events.record('answer 20')(() => 'answer 20');
    assert.deepEqual(
      ids.filter((id) => events.of(id) === undefined),
      ['answer 0'],
    );
  });
});
