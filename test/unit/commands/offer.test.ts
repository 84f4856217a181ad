import assert from 'node:assert/strict';
import { offer } from '../../../src/commands/offer.ts';
import { AppError } from '../../../src/shared/errors.ts';

/** What is told after an offer that is answered with `answer`. */
async function toldAfter(answer: string | undefined, next: () => Promise<unknown>): Promise<string[]> {
  const told: string[] = [];
  offer(
    {
      info: (message) => {
        told.push(message);
        return Promise.resolve(answer);
      },
      warn: (message) => {
        told.push(message);
        return Promise.resolve(undefined);
      },
    },
    'Deployed.',
    'Run',
    next,
  );
  await new Promise((resolve) => setImmediate(resolve));
  return told;
}

describe('offer', () => {
  it('goes on only where the action is chosen', async () => {
    let count = 0;
    const next = (): Promise<void> => {
      count += 1;
      return Promise.resolve();
    };
    assert.deepEqual(await toldAfter(undefined, next), ['Deployed.']);
    assert.equal(count, 0);
    assert.deepEqual(await toldAfter('Run', next), ['Deployed.']);
    assert.equal(count, 1);
  });

  it('does of several actions the one that is chosen, which are shown in their order', async () => {
    for (const answer of ['Run', 'Compare', 'Debug', 'other', undefined]) {
      const [done, shown]: [string[], string[]] = [[], []];
      const step = (name: string) => [name, async () => void done.push(name)] as const;
      const info = async (...told: string[]): Promise<string | undefined> => (shown.push(...told), answer);
      const ui = { info, warn: async () => assert.fail('nothing went wrong') };
      offer(ui, 'Deployed.', ...step('Run'), step('Compare'), step('Debug'));
      await new Promise((resolve) => setImmediate(resolve));
      const isThere = answer !== undefined && answer !== 'other';
      assert.deepEqual([shown, done], [['Deployed.', 'Run', 'Compare', 'Debug'], isThere ? [answer] : []]);
    }
  });

  it('tells what went wrong in the next step, and nothing where it was given up', async () => {
    assert.deepEqual(
      await toldAfter('Run', () => Promise.reject(new AppError('server', 'It broke.', { remedy: 'Try again.' }))),
      ['Deployed.', 'It broke. Try again.'],
    );
    assert.deepEqual(await toldAfter('Run', () => Promise.reject(new AppError('aborted', 'Stopped.'))), ['Deployed.']);
  });
});
