import assert from 'node:assert/strict';
import { jobFileView, type FileSync } from '../../../../src/runs/page/jobFileView.ts';
import type { JobFileView } from '../../../../src/runs/page/pageProtocol.ts';
import { outlineIds } from '../../../../src/runs/webview/outlines.ts';

const profile = { name: 'Team', isLocal: false, isProduction: false, isReadOnly: false };
const rows: FileSync['rows'] = [{ setting: 'a', last: '1', job: '1', file: '2', deploy: 'Changes it' }];
const viewOf = (kind: FileSync['kind'], more = {}, isCurrent = true): JobFileView =>
  jobFileView({ name: 'etl.job.yml', sync: { kind, rows } }, 3, { ...profile, ...more }, isCurrent);
const idsOf = ({ actions }: JobFileView): string => actions.map(({ id }) => id).join(' ');

describe('a job file on the page of its job', () => {
  it('says where it was changed and offers what ends the difference', () => {
    const kinds = ['same', 'here', 'there', 'both', 'differs', 'broken'] as const;
    assert.deepEqual(
      kinds.map((kind) => {
        const view = viewOf(kind);
        assert.ok(outlineIds.has(view.state?.icon ?? ''), kind);
        return [view.words, view.state?.tone, idsOf(view)];
      }),
      [
        ['In step with Team', 'good', 'compare3'],
        ['Changed here since the last deploy to Team', 'look', 'compare3 deploy3'],
        ['Changed on Team since the last deploy', 'look', 'compare3 pull3'],
        ['Changed both here and on Team since the last deploy', 'look', 'compare3 deploy3 pull3'],
        ['Differs from the job on Team; what was last deployed is not known', 'none', 'compare3 deploy3 pull3'],
        ['Has errors, so it cannot be compared or deployed', 'bad', ''],
      ],
    );
    assert.deepEqual(viewOf('both').rows, rows);
    assert.deepEqual(viewOf('both').link, { label: 'etl.job.yml', action: 'file3' });
  });
});
