import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { TooSlow } from '../../../../src/service/background/crew.ts';
import type * as source from '../../../../src/service/models/modelThread.ts';
import { workLimitInMs } from '../../../../src/service/models/workLimit.ts';
import { AppError } from '../../../../src/shared/errors.ts';

/** What the thread is asked, and what it gives. */
const asked: unknown[][] = [];
let give: () => unknown = () => undefined;
const door = Symbol.for('millrace.test.modelThread');
Object.assign(globalThis, {
  [door]: async (...given: unknown[]) => {
    asked.push(given);
    return give();
  },
});
const crew = new URL('../../../../src/service/background/crew.ts', import.meta.url).href;
const standIn =
  `export { TooSlow } from ${JSON.stringify(crew)};\n` +
  "export const inBackground = globalThis[Symbol.for('millrace.test.modelThread')];";
// Only for this one copy of the module.
registerHooks({
  resolve: (name, context, next) =>
    context.parentURL?.endsWith('/modelThread.ts?alone') && name.endsWith('/inBackground.ts')
      ? { url: `data:text/javascript,${encodeURIComponent(standIn)}`, shortCircuit: true }
      : next(name, context),
});
const file = '../../../../src/service/models/modelThread.ts?alone';
const { inModelThread } = (await import(file)) as typeof source;

describe('the thread of the models', () => {
  const { signal } = new AbortController();
  const refusal = (): AppError => new AppError('invalid', 'It takes too long.', {});
  const input = { text: 'a', schema: {} };

  it('has five seconds for what it is given, and ends with who wants it', async () => {
    give = () => 'done';
    assert.equal(await inModelThread('checkJson', input, { signal, refusal }), 'done');
    assert.deepEqual(asked, [['checkJson', input, { limitInMs: 5000, signal }]]);
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
      await assert.rejects(inModelThread('checkJson', input, { signal, refusal }), expected);
    }
  });
});
