import assert from 'node:assert/strict';
import { DebuggedRuns } from '../../../../src/service/host/debugSessions.ts';

describe('the runs that are debugged', () => {
  it('tell each change once', () => {
    const runs = new DebuggedRuns();
    let changes = 0;
    runs.onDidChange(() => {
      changes += 1;
    });
    for (const phase of ['going', 'going', 'held', undefined, undefined] as const) runs.set('5', phase);
    assert.equal(changes, 3);
    runs.set('5', 'held');
    assert.deepEqual([runs.phaseOf('5'), runs.phaseOf('6')], ['held', undefined]);
  });
});
