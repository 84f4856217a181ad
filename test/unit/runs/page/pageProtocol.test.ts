import assert from 'node:assert/strict';
import { fromPage, packed, toPage } from '../../../../src/runs/page/pageProtocol.ts';
import { read } from '../../../../src/shared/shape.ts';

describe('the page protocol', () => {
  it('sends long output as bytes and reads it back unchanged', () => {
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

  it('refuses unknown messages and fields over their limits', () => {
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

  it('accepts files and places within their limits', () => {
    const place = { file: 'a'.repeat(4000), line: 1 };
    for (const message of [
      { type: 'taken' },
      { type: 'openPlace', place },
      { type: 'openJob', jobId: '9'.repeat(20) },
      { type: 'findFiles', files: ['a'.repeat(4000)] },
      { type: 'copy', text: 'a'.repeat(20_000_000) },
    ])
      assert.deepEqual(read(fromPage, message), message);
    for (const message of [
      { type: 'openPlace', place: { ...place, file: 'a'.repeat(4001) } },
      { type: 'openPlace', place: { ...place, line: -1 } },
      { type: 'openJob', jobId: '9'.repeat(21) },
      { type: 'openJob' },
      { type: 'findFiles', files: ['a'.repeat(4001)] },
      { type: 'copy', text: 'a'.repeat(20_000_001) },
      { type: 'copy' },
    ])
      assert.equal(read(fromPage, message), undefined, message.type);
    for (const message of [
      { type: 'files', found: ['a'], missing: ['b'] },
      { type: 'tail', text: 'a', missingBytes: 0 },
    ]) {
      assert.deepEqual(read(toPage, message), message);
      for (const field of Object.keys(message))
        assert.equal(read(toPage, { ...message, [field]: undefined }), undefined, field);
    }
    assert.equal(read(toPage, { type: 'tail', text: 'a', missingBytes: -1 }), undefined);
  });
});
