import assert from 'node:assert/strict';
import { assertApproved } from '../../../support/approved.ts';
import { outline } from '../../../support/editorStandIn/outline.ts';
import { jobPages } from './drawnJobPage.ts';
import { job } from './pageViews.ts';

describe('the page of a job, as it is drawn', () => {
  const { sent, drawn } = jobPages();

  it('says in place of what is not there why', () => {
    const { strip: _strip, next: _next, files: _files, noFile: _noFile, production: _production, ...rest } = job;
    const notice = { text: 'Not there', actions: [] };
    const empty = { ...rest, facts: [], noRuns: 'It has not run yet.', notice };
    assertApproved('page-of-a-job-without-runs', outline(drawn(empty).element));
    const later = { ...rest, facts: [], next: { note: '', rows: [], none: 'Not scheduled' } };
    assertApproved('page-of-a-job-without-settings', outline(drawn(empty, later).element));
  });

  it('leads where its links and buttons say', () => {
    const { element } = drawn(job);
    for (const name of ['Run Now', 'other.yaml', 'Pull']) element.find(name).does('click');
    assert.deepEqual(sent, [
      { type: 'action', id: 'run' },
      { type: 'action', id: 'file1' },
      { type: 'action', id: 'pull0' },
    ]);
  });
});
