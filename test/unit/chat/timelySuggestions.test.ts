import assert from 'node:assert/strict';
import type { Suggestion } from '../../../src/chat/chatTools.ts';
import { TimelySuggestions } from '../../../src/chat/timelySuggestions.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { fakePorts } from '../../support/chatHarness/fakePorts.ts';
import { settle } from '../../support/fakeClock.ts';

const suggested = (title: string): Suggestion[] => [{ title, prompt: `${title}?` }];

describe('what the present state suggests', () => {
  let looks: PromiseWithResolvers<Suggestion[]>[];
  let logged: string[];
  let shown: (readonly Suggestion[])[];
  let timely: TimelySuggestions;

  beforeEach(() => {
    [looks, logged, shown] = [[], [], []];
    const { tools } = fakePorts();
    timely = new TimelySuggestions({
      tools: {
        ...tools,
        suggest: () => {
          looks.push(Promise.withResolvers());
          return looks.at(-1)?.promise ?? Promise.resolve([]);
        },
      },
      log: { ...silentLogger, debug: (text: string) => void logged.push(text) },
    });
    timely.onDidChange(() => shown.push(timely.items));
  });
  afterEach(() => timely.dispose());

  it('is shown once it is known, each time somebody looks', async () => {
    assert.deepEqual(timely.items, []);
    for (const [index, title] of ['Why', 'When'].entries()) {
      timely.look();
      looks[index]?.resolve(suggested(title));
      await settle();
    }
    assert.deepEqual([looks.length, shown, logged], [2, [suggested('Why'), suggested('When')], []]);
  });

  it('is looked at once more for all who ask meanwhile, and shown when that is known', async () => {
    timely.look();
    timely.look();
    timely.look();
    assert.equal(looks.length, 1);
    looks[0]?.resolve(suggested('Old'));
    await settle();
    assert.deepEqual([looks.length, shown], [2, []]);
    looks[1]?.resolve(suggested('New'));
    await settle();
    assert.deepEqual([looks.length, shown], [2, [suggested('New')]]);
  });

  it('is nothing where it cannot be known, which the log says', async () => {
    timely.look();
    looks[0]?.resolve(suggested('Old'));
    await settle();
    timely.look();
    looks[1]?.reject(new Error('Nobody answers.'));
    await settle();
    assert.deepEqual(
      [timely.items, shown.at(-1), logged],
      [[], [], ['Nothing timely can be suggested: Nobody answers.']],
    );
  });

  it('is not looked at again, nor told, after the end', async () => {
    timely.look();
    timely.look();
    timely.dispose();
    looks[0]?.resolve(suggested('Late'));
    await settle();
    timely.look();
    await settle();
    assert.deepEqual([looks.length, shown], [1, []]);
  });
});
