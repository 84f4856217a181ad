import assert from 'node:assert/strict';
import { defaultLimits, requestBytes } from '../../../../src/api/schema/limits.ts';

describe('the limits of the client', () => {
  it('are those that its users were promised', () => {
    assert.deepEqual(defaultLimits, {
      headersInMs: 60_000,
      inferenceHeadersInMs: 300_000,
      idleInMs: 60_000,
      streamIdleInMs: 120_000,
      responseBytes: 33_554_432,
      modelBytes: 16_777_216,
      modelValues: 100_000,
      errorBytes: 65_536,
      eventCharacters: 4_194_304,
      streamBytes: 268_435_456,
    });
    assert.equal(requestBytes, 10_485_760);
  });
});
