import assert from 'node:assert/strict';
import { TooSlow } from '../../../../src/service/background/crew.ts';
import type * as source from '../../../../src/service/models/modelThread.ts';
import { workLimitInMs } from '../../../../src/service/models/modelThread.ts';
import { upstreamTasks } from '../../../../src/service/models/upstream/upstreamTasks.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { withBackground } from '../support/ownBackground.ts';

/** What the thread is asked, and what it gives. */
const asked: unknown[][] = [];
let give: () => unknown = () => undefined;
const { inModelThread } = await withBackground<typeof source>('models/modelThread.ts', async (...given) => {
  asked.push(given);
  return give();
});

describe('the thread of the models', () => {
  const { signal } = new AbortController();
  const refusal = (): AppError => new AppError('invalid', 'It takes too long.', {});
  const task = upstreamTasks.checkJson;
  const input = { text: 'a', schema: {} };

  it('has five seconds for what it is given, and ends with who wants it', async () => {
    give = () => 'done';
    assert.equal(await inModelThread(task, input, { signal, refusal }), 'done');
    assert.deepEqual(asked, [[task, input, { limitInMs: 5000, signal }]]);
    assert.equal(workLimitInMs, 5000);
  });

  it('is refused in the words of who asked where it takes longer, and fails as it fails otherwise', async () => {
    for (const [error, expected] of [
      [new TooSlow(), { message: 'It takes too long.' }],
      [new RangeError('odd'), { name: 'RangeError', message: 'odd' }],
    ] as const) {
      give = () => {
        throw error;
      };
      await assert.rejects(inModelThread(task, input, { signal, refusal }), expected);
    }
  });
});
