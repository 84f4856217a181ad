import assert from 'node:assert/strict';
import { TooSlow } from '../../../../src/service/background/crew.ts';
import type * as source from '../../../../src/service/export/exportInBackground.ts';
import { exportTask } from '../../../../src/service/export/exportInBackground.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { withBackground } from '../support/ownBackground.ts';

/** What was asked of the thread, and what it gives for each. */
const asked: { task: unknown; input: object; options: { limitInMs: number; signal?: AbortSignal } }[] = [];
let give: ((input: { plainMarkdown?: boolean }) => Uint8Array) | undefined;
const { exportInBackground } = await withBackground<typeof source>(
  'export/exportInBackground.ts',
  async (task: unknown, input: object, options: { limitInMs: number; signal?: AbortSignal }) => {
    asked.push({ task, input, options });
    return give?.(input);
  },
);

describe('the export of a run', () => {
  const body = new Uint8Array([1]);
  const { signal } = new AbortController();
  beforeEach(() => (asked.length = 0));

  it('is made once, with a limit of time, and ends with who asked for it', async () => {
    give = () => body;
    assert.equal(await exportInBackground('/runs/5', 'ALL', signal), body);
    // The largest notebooks take about five seconds.
    assert.deepEqual(asked, [
      { task: exportTask, input: { folder: '/runs/5', views: 'ALL' }, options: { limitInMs: 20_000, signal } },
    ]);
  });

  it('shows texts as they are written where rendering them takes too long', async () => {
    give = ({ plainMarkdown }) => {
      if (plainMarkdown !== true) throw new TooSlow();
      return body;
    };
    assert.equal(await exportInBackground('/runs/5', 'CODE', signal), body);
    assert.deepEqual(asked, [
      { task: exportTask, input: { folder: '/runs/5', views: 'CODE' }, options: { limitInMs: 20_000, signal } },
      {
        task: exportTask,
        input: { folder: '/runs/5', views: 'CODE', plainMarkdown: true },
        options: { limitInMs: 20_000, signal },
      },
    ]);
  });

  it('is not tried again where it failed otherwise, or was too slow so as well', async () => {
    for (const [error, times] of [
      [new AppError('invalid', 'no notebook'), 1],
      [new TooSlow(), 2],
    ] as const) {
      asked.length = 0;
      give = () => {
        throw error;
      };
      await assert.rejects(exportInBackground('/runs/5', 'ALL', signal), error);
      assert.equal(asked.length, times);
    }
  });
});
