import assert from 'node:assert/strict';
import { viewPicture } from '../../../../src/runs/tree/viewPicture.ts';
import { AppError, type ErrorKind } from '../../../../src/shared/errors.ts';

const without = (kind: ErrorKind, status?: number): string =>
  viewPicture({ kind: 'stale', updatedMs: undefined, error: new AppError(kind, 'x', status ? { status } : {}) });

describe('the picture of a view without rows', () => {
  it('tells the reasons apart', () => {
    assert.equal(viewPicture({ kind: 'empty' }), 'loading');
    assert.equal(without('unauthenticated'), 'signedOut');
    assert.equal(without('unauthenticated', 401), 'refused');
    assert.equal(without('forbidden', 403), 'refused');
    for (const kind of ['network', 'timeout', 'tls', 'server', 'rateLimited', 'cutOff'] as const)
      assert.equal(without(kind), 'offline', kind);
    assert.deepEqual(
      [without('unavailable'), without('untrusted'), without('protocol'), without('internal')],
      ['stopped', 'untrusted', 'failed', 'failed'],
    );
  });
});
