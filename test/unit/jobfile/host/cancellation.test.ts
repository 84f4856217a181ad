import assert from 'node:assert/strict';
import { cancellation } from '../../../support/editorStandIn/editorStandIn.ts';

const { signalOf } = await import('../../../../src/jobfile/host/cancellation.ts');

describe('a token of the editor as a signal', () => {
  it('aborts with it, before and after', () => {
    const { token, cancel } = cancellation();
    const signal = signalOf(token);
    assert.equal(signal.aborted, false);
    cancel();
    assert.deepEqual([signal.aborted, signalOf(token).aborted], [true, true]);
  });
});
