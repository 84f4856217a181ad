import assert from 'node:assert/strict';
import { readRunLink, runLink } from '../../../src/shared/runLink.ts';

describe('the link of a run', () => {
  it('is read back as it was written, whatever the profile is called', () => {
    for (const profileId of ['local', 'a b', 'ä&run_id=1', '#?=/']) {
      const link = runLink({ profileId, runId: '9223372036854775807' });
      const { host, protocol, pathname, search } = new URL(link);
      assert.deepEqual([protocol, host], ['vscode:', 'millrace.millrace']);
      assert.deepEqual(readRunLink({ path: pathname, query: search.slice(1) }), {
        profileId,
        runId: '9223372036854775807',
      });
    }
  });

  it('is none with another path, without its parts or with odd ones', () => {
    const query = 'profile=local&run_id=5';
    assert.deepEqual(readRunLink({ path: '/run', query }), { profileId: 'local', runId: '5' });
    assert.ok(readRunLink({ path: '/run', query: `profile=${'x'.repeat(200)}&run_id=0` }));
    for (const [path, other] of [
      ['/runs', query],
      ['', query],
      ['/run', 'profile=local'],
      ['/run', 'run_id=5'],
      ['/run', 'profile=&run_id=5'],
      ['/run', 'profile=local&run_id=-5'],
      ['/run', 'profile=local&run_id=5e3'],
      ['/run', 'profile=local&run_id=9223372036854775808'],
      ['/run', `profile=${'x'.repeat(201)}&run_id=5`],
    ] as const)
      assert.equal(readRunLink({ path, query: other }), undefined, `${path}?${other}`);
  });
});
