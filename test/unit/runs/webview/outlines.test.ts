import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { runStatus } from '../../../../src/runs/runState.ts';
import { outline, outlineIds } from '../../../../src/runs/webview/pageParts.ts';
import { type FakeElement, leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { holdTrail } from '../../../support/trail.ts';

describe('the icons of the pages', () => {
  holdTrail(import.meta.url);
  it('are there for every state of a run, known or not', () => {
    const lives = ['QUEUED', 'PENDING', 'RUNNING', 'TERMINATING', 'TERMINATED', 'SKIPPED', 'INTERNAL_ERROR', 'BLOCKED'];
    const results = [undefined, 'SUCCESS', 'FAILED', 'TIMEDOUT', 'CANCELED', 'OTHER'];
    const ids = lives.flatMap((life) =>
      results.map((result) => {
        const state = { life_cycle_state: life, result_state: result } as Run['state'];
        return runStatus({ state }).icon.id.replace(/~spin$/, '');
      }),
    );
    assert.deepEqual(
      [...new Set(ids)].filter((id) => !outlineIds.has(id)),
      [],
    );
  });

  it('are drawn in a square of 16, for the eye alone, and as a question where they are not known', () => {
    usePage();
    try {
      const [stop, unknown, question] = ['debug-stop', 'no-such-icon', 'question'].map(
        (id) => outline(id, 'spin') as unknown as FakeElement,
      );
      assert.deepEqual(
        [...(stop?.attributes.entries() ?? [])],
        [
          ['viewBox', '0 0 16 16'],
          ['class', 'icon spin'],
          ['aria-hidden', 'true'],
        ],
      );
      assert.equal(stop?.find('path').getAttribute('d'), 'M4 4h8v8H4z');
      const shape = question?.find('path').getAttribute('d');
      assert.ok(shape);
      assert.equal(unknown?.find('path').getAttribute('d'), shape);
      assert.equal(outline('question').getAttribute('class'), 'icon');
    } finally {
      leavePage();
    }
  });
});
