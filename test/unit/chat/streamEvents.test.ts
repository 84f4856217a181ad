import assert from 'node:assert/strict';
import { StreamEvents } from '../../../src/chat/streamEvents.ts';

describe('the events that answers came in', () => {
  const half = 'x'.repeat(100_000);

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
});
