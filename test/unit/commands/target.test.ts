import assert from 'node:assert/strict';
import { targetOf } from '../../../src/commands/target.ts';

describe('targetOf', () => {
  it('reads what trees, lenses, menus and the palette hand over', () => {
    assert.deepEqual(targetOf({ id: 'x', node: { jobId: '1', runId: '2', profileId: 'local' } }), {
      jobId: '1',
      runId: '2',
      profileId: 'local',
    });
    assert.deepEqual(targetOf('file:///a'), { uri: 'file:///a' });
    assert.deepEqual(targetOf({ scheme: 'file', toString: () => 'file:///b' }), { uri: 'file:///b' });
    assert.deepEqual(targetOf(undefined), {});
    for (const odd of [null, 7, {}, { jobId: 3, runId: null, uri: null, profileId: false }])
      assert.deepEqual(
        Object.values(targetOf(odd)).filter((each) => each !== undefined),
        [],
        JSON.stringify(odd),
      );
    assert.deepEqual(targetOf({ jobId: '3' }), { jobId: '3', runId: undefined, uri: undefined, profileId: undefined });
  });
});
