import assert from 'node:assert/strict';
import { handlers } from '../../../src/commands/handlers.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { Bench } from './commandSetup.ts';

describe('comparing two models', () => {
  let bench: Bench;
  let asked: string[];
  let saved: string[];
  beforeEach(() => {
    [bench, asked, saved] = [new Bench(), [], []];
    bench.inference = {
      listEndpoints: async () => [
        { name: 'small', task: 'llm/v1/chat' },
        { name: 'large', task: 'llm/v1/chat' },
        { name: 'vectors', task: 'llm/v1/embeddings' },
      ],
      chat: async (endpoint: string, { messages: [message] }: { messages: { content: string }[] }) => {
        asked.push(`${endpoint}: ${message?.content}`);
        if (endpoint === 'large') throw new AppError('rejected', 'No.');
        return {
          choices: [{ message: { content: '=1+1, "two"' } }],
          usage: { prompt_tokens: 3, completion_tokens: 5, cost: 0.01 },
        };
      },
    };
    bench.picks = ['small', 'large', 'prompts.jsonl'];
  });
  const compare = async (text: string, file = 'prompts.jsonl'): Promise<unknown> => {
    Object.assign(bench.services.ui, {
      workspaceFiles: async () => ['a.py', file],
      workspaceText: async () => text,
      createFile: async (_name: string, content: string) => (saved.push(content), 'model-comparison.csv'),
    });
    return handlers['millrace.endpoint.compare'](bench.services, {});
  };

  it('saves answers, tokens, cost and failures of each prompt side by side, and no formulas', async () => {
    await compare('"One?"\n\n{"prompt": "Two?"}\n');
    assert.deepEqual(asked, ['small: One?', 'large: One?', 'small: Two?', 'large: Two?']);
    const [head = '', first = '', ...rest] = (saved[0] ?? '').split('\r\n');
    const columns = ['output', 'latency_ms', 'prompt_tokens', 'completion_tokens', 'cost', 'error'];
    assert.equal(
      head,
      ['prompt', ...['small', 'large'].flatMap((name) => columns.map((one) => `${name} ${one}`))].join(),
    );
    assert.match(first, /^One\?,"'=1\+1, ""two""",\d+,3,5,0\.01,,,\d+,,,,No\.$/);
    assert.equal(rest.length, 2);
  });

  it('sends nothing before the user agrees', async () => {
    bench.declined = true;
    await compare('"One?"');
    assert.deepEqual([asked, saved], [[], []]);
  });

  it('shows the answers in a new document if no file could be created', async () => {
    bench.picks = ['small', 'large', 'prompts.txt'];
    const comparing = compare('\uFEFFOne?', 'prompts.txt');
    Object.assign(bench.services.ui, {
      createFile: async () => undefined,
      openUntitled: async (_language: string, text: string) => void saved.push(text),
    });
    await comparing;
    assert.match(saved[0] ?? '', /\r\nOne\?,/);
  });

  it('says that it needs two chat endpoints', async () => {
    bench.inference = { listEndpoints: async () => [{ name: 'small', task: 'llm/v1/chat' }] };
    await assert.rejects(compare('One?'), /fewer than two/);
  });

  it('names the line that has no prompt and sends nothing', async () => {
    await assert.rejects(compare('"One?"\n{"question": "Two?"}'), /Line 2 of prompts\.jsonl/);
    assert.deepEqual(asked, []);
  });
});
