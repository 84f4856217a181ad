import assert from 'node:assert/strict';
import {
  discoverUpstreams,
  labelOf,
  listedModels,
  taskByName,
  usualPorts,
  type FoundUpstream,
} from '../../../../../src/service/models/upstream/discoverUpstreams.ts';
import type { UpstreamFetch } from '../../../../../src/service/models/upstream/patientFetch.ts';
import { FakeClock } from '../../../../support/fakeClock.ts';

describe('model servers of this machine', () => {
  let asked: string[];
  beforeEach(() => void (asked = []));

  /** Looks at the ports, of which each answers with this list of models; undefined: nobody is there. */
  async function look(lists: Readonly<Record<number, unknown>>, shows: Readonly<Record<string, unknown>> = {}) {
    const fetch = async (url: string, { method, body }: { method: string; body?: string }): Promise<Response> => {
      asked.push(`${method} ${url}${body ?? ''}`);
      const { port, pathname } = new URL(url);
      if (pathname === '/api/show') {
        const shown = shows[(JSON.parse(body ?? '{}') as { model: string }).model];
        return shown === undefined ? new Response('{}', { status: 404 }) : Response.json(shown);
      }
      const list = lists[Number(port)];
      if (list === undefined) throw Object.assign(new TypeError('fetch failed'), { code: 'ECONNREFUSED' });
      return typeof list === 'string' ? new Response(list) : Response.json(list);
    };
    return discoverUpstreams(Object.keys(lists).map(Number), {
      fetch: fetch as unknown as UpstreamFetch,
      clock: new FakeClock(),
    });
  }
  const listOf = (owner: string | undefined, ...ids: unknown[]): object => ({
    data: ids.map((id) => ({ id, owned_by: owner })),
  });

  it('are looked for at their usual ports', () => assert.deepEqual(usualPorts, [11_434, 8080, 8000, 1234]));

  it('are known by what their lists say of the owner', async () => {
    const found = await look({
      1: listOf('llamacpp', 'a'),
      2: listOf('vllm', 'a'),
      3: listOf('me', 'a'),
      4: listOf('organization_owner', 'a'),
      5: listOf('library', 'a'),
      6: listOf('somebody', 'a'),
      7: { data: [] },
      11434: { data: [] },
    });
    assert.deepEqual(
      found.map(({ settings: { name, kind, baseUrl } }) => `${name} ${kind} ${baseUrl}`),
      [
        'llamacpp llamacpp http://127.0.0.1:1/v1',
        'vllm vllm http://127.0.0.1:2/v1',
        'llama-cpp-python llama-cpp-python http://127.0.0.1:3/v1',
        'lmstudio lmstudio http://127.0.0.1:4/v1',
        'ollama ollama http://127.0.0.1:5/v1',
        'local-6 generic http://127.0.0.1:6/v1',
        'local-7 generic http://127.0.0.1:7/v1',
        'ollama ollama http://127.0.0.1:11434/v1',
      ],
    );
    assert.deepEqual([found[0]?.settings.models, found[0]?.settings.timeoutInSeconds], ['all', 300]);
    assert.equal(labelOf(found[1]!.settings), 'vLLM at http://127.0.0.1:2/v1');
  });

  it('are none where somebody else listens, or nobody', async () => {
    assert.deepEqual(await look({ 1: undefined, 2: '<html>', 3: '[]', 4: { models: [] }, 5: { data: 'x' } }), []);
  });

  it('are given up after four tenths of a second without a word, and with who looks for them', async () => {
    const clock = new FakeClock();
    const signals: (AbortSignal | undefined)[] = [];
    const hang = (signal: AbortSignal): Promise<never> => {
      signals.push(signal);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    };
    const fetch = (async (url: string, { signal }: { signal: AbortSignal }) =>
      url.endsWith('/models') && url.includes(':5/')
        ? Response.json(listOf('library', 'a-embed'))
        : hang(signal)) as unknown as UpstreamFetch;
    const found: FoundUpstream[][] = [];
    const looking = discoverUpstreams([4, 5], { fetch, clock }).then((result) => found.push(result));
    await clock.advance(399);
    assert.equal(found.length, 0);
    await clock.advance(1);
    await looking;
    assert.deepEqual(
      found[0]?.map(({ models }) => models),
      [[{ model: 'a-embed', task: 'embedding' }]],
    );
    assert.equal(signals.length, 2);
    const stop = new AbortController();
    const stopped = discoverUpstreams([4, 5], { fetch, clock, signal: stop.signal });
    await clock.advance(0);
    stop.abort();
    assert.equal((await stopped).length, 1);
    assert.equal(clock.pending, 0);
  });

  it('tell a fault of ours', async () => {
    const clock = new FakeClock();
    clock.schedule = () => {
      throw new RangeError('ours');
    };
    await assert.rejects(discoverUpstreams([5], { fetch: async () => Response.json({}), clock }), RangeError);
  });

  it('have the models that are listed with a name', () => {
    assert.deepEqual(listedModels(listOf(undefined, 'a', '', 7, null, 'b') as never), [{ model: 'a' }, { model: 'b' }]);
    assert.deepEqual(listedModels({ data: 7 }), []);
  });

  it('tell what each model can do, where they are Ollama; others are known by its name', async () => {
    const [ollama] = await look(
      { 5: listOf('library', 'one', 'two', 'three', 'nomic-embed', 'gone-embed') },
      {
        one: { capabilities: ['completion', 'embedding'] },
        two: { capabilities: [] },
        three: {},
        'nomic-embed': { capabilities: 'odd' },
      },
    );
    assert.deepEqual(ollama?.models, [
      { model: 'one', task: 'embedding' },
      { model: 'two', task: 'chat' },
      { model: 'three', task: 'chat' },
      { model: 'nomic-embed', task: 'embedding' },
      { model: 'gone-embed', task: 'embedding' },
    ]);
    assert.equal(asked[1], 'POST http://127.0.0.1:5/api/show{"model":"one"}');
    const [other] = await look({ 2: listOf('vllm', 'bge-large', 'qwen') });
    assert.deepEqual(other?.models, [
      { model: 'bge-large', task: 'embedding' },
      { model: 'qwen', task: 'chat' },
    ]);
    assert.equal(asked.filter((line) => line.includes('/api/show')).length, 5);
  });

  it('have models for embeddings by well-known names', () => {
    const embeddings = [
      'nomic-embed-text',
      'all-MiniLM-L6',
      'BAAI/bge-m3',
      'gte-large',
      'intfloat/e5_base',
      'all-mpnet-base',
      'Qwen3Embedding',
    ];
    const others = ['snowflake-arctic-instruct', 'llama3', 'bgeneric', 'e50'];
    assert.deepEqual(
      [...embeddings, ...others].filter((name) => taskByName(name) === 'embedding'),
      embeddings,
    );
  });
});
