import assert from 'node:assert/strict';
import { syncOf } from '../../../../src/jobfile/services/syncOf.ts';
import type { Fields } from '../../../../src/shared/fields.ts';

const text = (more = ''): string =>
  `name: etl\nexisting_cluster_id: c1\nspark_python_task: { python_file: /main.py }\n${more}`;
const sent: Fields = { name: 'etl', existing_cluster_id: 'c1', spark_python_task: { python_file: '/main.py' } };
/** What a service has of it, which adds something by itself. */
const stored: Fields = { ...sent, format: 'SINGLE_TASK', creator_user_name: 'ada@example.com' };
const last = { sent, settings: stored };

describe('how a job file stands to its job', () => {
  it('is told by what the last deploy left: changed here, there, on both sides, or nowhere', () => {
    const theirs: Fields = { ...stored, timeout_seconds: 60 };
    assert.deepEqual(syncOf(text(), stored, last), { kind: 'same', rows: [] });
    assert.equal(syncOf(text('max_retries: 2\n'), stored, last).kind, 'here');
    assert.equal(syncOf(text(), theirs, last).kind, 'there');
    assert.equal(syncOf(text('max_retries: 2\n'), theirs, last).kind, 'both');
    assert.equal(syncOf(text('timeout_seconds: 60\n'), theirs, last).kind, 'same', 'both did the same');
    assert.equal(syncOf(text('max_retries: 2\n'), stored).kind, 'differs');
    assert.equal(syncOf(text(), stored).kind, 'same');
    for (const broken of [text('max_retries: two\n'), 'name: [', ''])
      assert.deepEqual(syncOf(broken, stored, last), { kind: 'broken', rows: [] });
  });

});
