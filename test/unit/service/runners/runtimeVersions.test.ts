import assert from 'node:assert/strict';
import { versionsThatDiffer } from '../../../../src/service/runners/localCluster.ts';

describe('the versions of a release beside those of this machine', () => {
  it('are told where they differ', () => {
    assert.equal(
      versionsThatDiffer('13.3.x-scala2.12', { version: '3.11.7', pysparkVersion: '4.0.5' }),
      'It ran with Python 3.11.7 and Spark 4.0.5, and 13.3.x-scala2.12 has Python 3.10 and Spark 3.4: what works here may break there.',
    );
    assert.equal(
      versionsThatDiffer('16.4.x-cpu-ml-scala2.12', { version: '3.11.7' }),
      'It ran with Python 3.11.7, and 16.4.x-cpu-ml-scala2.12 has Python 3.12: what works here may break there.',
    );
    assert.match(versionsThatDiffer('9.1', { version: '3.80.1' }) ?? '', /Python 3\.80\.1, and 9\.1 has Python 3\.8:/);
  });

  it('are those of each release that is known', () => {
    for (const [release, python, spark] of [
      ['9.1', '3.8', '3.1'],
      ['10.4', '3.8', '3.2'],
      ['11.3', '3.9', '3.3'],
      ['12.2', '3.9', '3.3'],
      ['13.3', '3.10', '3.4'],
      ['14.3', '3.10', '3.5'],
      ['15.4', '3.11', '3.5'],
      ['16.4', '3.12', '3.5'],
      ['17.3', '3.12', '4.0'],
    ] as const)
      assert.equal(
        versionsThatDiffer(`${release}.x-scala2.12`, { version: '2.7.1', pysparkVersion: '2.4.0' }),
        `It ran with Python 2.7.1 and Spark 2.4.0, and ${release}.x-scala2.12 has Python ${python} and Spark ${spark}: what works here may break there.`,
      );
  });

  it('are no matter where they are the same, or not known', () => {
    assert.equal(versionsThatDiffer('15.4.x-scala2.12', { version: '3.11.7', pysparkVersion: '3.5.1' }), undefined);
    assert.equal(versionsThatDiffer('15.4.x-scala2.12', undefined), undefined);
    for (const other of ['local', undefined, '99.9.x', 'x15.4.x', '15.40.x'])
      assert.equal(versionsThatDiffer(other, { version: '3.7.0' }), undefined, other);
  });
});
