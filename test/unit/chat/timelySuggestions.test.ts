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
  let editor: ReturnType<typeof fakePorts>['editor'];
  let taken: string[];

  beforeEach(() => {
    [looks, logged, shown] = [[], [], []];
    taken = [];
    const ports = fakePorts();
    const { tools } = ports;
    editor = ports.editor;
    const prompt = { attachSelection: async () => void taken.push('selection') };
    timely = new TimelySuggestions(
      {
        ...ports,
        tools: {
          ...tools,
          suggest: () => {
            looks.push(Promise.withResolvers());
            return looks.at(-1)?.promise ?? Promise.resolve([]);
          },
        },
        log: { ...silentLogger, debug: (text: string) => void logged.push(text) },
      },
      prompt,
    );
    timely.onDidChange(() => shown.push(timely.items));
  });
  afterEach(() => timely.dispose());

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

  const look = async (items: Suggestion[]): Promise<string[]> => {
    timely.look();
    looks.at(-1)?.resolve(items);
    await settle();
    return timely.shown.map(({ title, isDeed = false }) => (isDeed ? `${title}!` : title));
  };

  it('is offered before what a beginner may ask, four offers in all, the selection first', async () => {
    const beginner = ['Write a job file', 'Explain cron expressions', 'Retry a failed task'];
    assert.deepEqual(await look([]), beginner);
    const deed = { ...suggested('Fix')[0], take: async () => void taken.push('fix') } as Suggestion;
    assert.deepEqual(await look([deed]), ['Fix!', ...beginner]);
    editor.selected = 'a.py:2-3';
    assert.deepEqual(await look([deed]), ['Selection!', 'Fix!', ...beginner.slice(0, 2)]);
    assert.deepEqual(timely.shown[0], {
      title: 'Selection',
      deed: 'Attach',
      prompt: 'a.py:2-3',
      icon: 'lines',
      isDeed: true,
    });
    const many = [...suggested('1'), ...suggested('2'), ...suggested('3'), ...suggested('4')];
    assert.deepEqual(await look(many), ['Selection!', '1', '2', '3']);
  });
});
