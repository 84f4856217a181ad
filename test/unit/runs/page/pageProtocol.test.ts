import assert from 'node:assert/strict';
import { fromPage, packed, toPage } from '../../../../src/runs/page/pageProtocol.ts';
import { read } from '../../../../src/shared/shape.ts';

describe('what the host and the page of a run tell each other', () => {
  it('says the same of a long piece of output that goes in bytes as of a short one', () => {
    for (const length of [3999, 4000, 4001])
      for (const [reset, isEnd] of [
        [true, false],
        [false, true],
      ] as const) {
        const message = { type: 'output' as const, text: 'é'.repeat(length), reset, isEnd };
        const sent = packed(message);
        assert.equal(sent === message, length < 4000);
        assert.deepEqual(read(toPage, sent), message);
      }
    const other = { type: 'tail' as const, text: 'x'.repeat(9000), missingBytes: 1 };
    assert.equal(packed(other), other);
  });

  it('is not taken where it is longer than anything that a page says, or nothing of it', () => {
    const taken = (message: object): boolean => read(fromPage, message) !== undefined;
    assert.deepEqual(
      [
        { type: 'ready' },
        { type: 'action', id: 'a'.repeat(100) },
        { type: 'action', id: 'a'.repeat(101) },
        { type: 'action' },
        { type: 'openRun', runId: '9'.repeat(20) },
        { type: 'openRun', runId: '9'.repeat(21) },
        { type: 'findFiles', files: Array.from({ length: 200 }, () => 'a') },
        { type: 'findFiles', files: Array.from({ length: 201 }, () => 'a') },
        { type: 'other' },
      ].map(taken),
      [true, true, false, false, true, false, true, false, false],
    );
  });
});
