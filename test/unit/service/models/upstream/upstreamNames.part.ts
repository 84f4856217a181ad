import assert from 'node:assert/strict';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  endpointName,
  Upstreams,
  type UpstreamsOptions,
} from '../../../../../src/service/models/upstream/upstreams.ts';
import { silentLogger } from '../../../../../src/shared/log.ts';
import { FakeClock } from '../../../../support/fakeClock.ts';

describe('the endpoints of model servers', () => {
  let clock: FakeClock;
  let asked: string[];
  let warned: string[];
  /** The models of each server, by its port. */
  let lists: Record<string, string[] | Error>;
  beforeEach(() => {
    clock = new FakeClock();
    [asked, warned, lists] = [[], [], {}];
  });
  const upstreams = (options: Partial<UpstreamsOptions>): Upstreams =>
    new Upstreams({
      clock,
      discover: false,
      reservedNames: ['guide'],
      logger: { ...silentLogger, warn: (text: string) => void warned.push(text) },
      fetch: async (url, { headers }) => {
        asked.push(`${url} ${headers['authorization'] ?? ''}`.trim());
        const list = lists[new URL(url).port];
        if (list === undefined) throw new TypeError('nobody there');
        if (list instanceof Error) throw list;
        return Response.json({ data: list.map((id) => ({ id, owned_by: 'vllm' })) });
      },
      ...options,
    });
  const told = async (of: Upstreams): Promise<string[]> =>
    (await of.endpoints()).map(({ name, task, description, kind }) => `${name} ${task} ${kind}: ${description}`);
  const names = async (of: Upstreams, options = {}): Promise<string> =>
    (await of.endpoints(options)).map(({ name }) => name).join(' ');
  const server = (port: number, more: object = {}): object => ({
    name: `s${port}`,
    baseUrl: `http://h:${port}/v1`,
    ...more,
  });

  it('are those of each model by its task, with a completion beside a chat, and say what serves them', async () => {
    const models = [
      'm',
      'dir/odd',
      { model: 'e', task: 'embedding', endpoint: 'mine' },
      { model: 'c', task: 'completion' },
      { model: 'd', task: 'chat' },
    ];
    assert.deepEqual(await told(upstreams({ upstreams: [server(1, { kind: 'vllm', models })] })), [
      'm chat upstream: Served by vLLM at http://h:1/v1.',
      'm-completion completion upstream: Served by vLLM at http://h:1/v1.',
      'dir-odd chat upstream: Served by vLLM at http://h:1/v1.',
      'dir-odd-completion completion upstream: Served by vLLM at http://h:1/v1.',
      'mine embedding upstream: e, served by vLLM at http://h:1/v1.',
      'c completion upstream: Served by vLLM at http://h:1/v1.',
      'd chat upstream: Served by vLLM at http://h:1/v1.',
      'd-completion completion upstream: Served by vLLM at http://h:1/v1.',
    ]);
    const [first] = await upstreams({ upstreams: [server(1, { kind: 'vllm', models })] }).endpoints();
    assert.deepEqual(
      first?.served.map(({ name, trafficPercentage, backend }) => [
        name,
        trafficPercentage,
        backend.task,
        backend.model,
      ]),
      [['m', 100, 'chat', 'm']],
    );
    assert.deepEqual(asked, []);
  });

  it('have names of their own: that of their server before it, and then a number', async () => {
    const models = ['guide', 'x', 'x', 'x', 'x', { model: 'x-completion', task: 'embedding' }];
    assert.equal(
      await names(upstreams({ upstreams: [server(1, { models }), server(2, { models: ['x'] })] })),
      's1-guide s1-guide-completion x x-completion s1-x s1-x-completion s1-x-2 s1-x-2-completion s1-x-3 s1-x-3-completion ' +
        's1-x-completion-2 s2-x s2-x-completion',
    );
  });

  for (const [model, name] of [
    ['llama3.2:latest', 'llama3.2-latest'],
    ['/models/Smol.Q4.gguf', 'Smol.Q4'],
    ['C:\\models\\Smol.GGUF', 'Smol'],
    ['org/name_x', 'org-name_x'],
    ['--x--', 'x'],
    ['ü', 'model'],
    ['...', 'model'],
    [`${'a'.repeat(49)}bc`, `${'a'.repeat(49)}b`],
    [`${'a'.repeat(48)}-.c`, 'a'.repeat(48)],
    ['a.gguf.bin', 'a.gguf.bin'],
    ['dir/a.gguf/b', 'dir-a.gguf-b'],
    ['a : b', 'a-b'],
  ] as const)
    it(`name ${model} ${name}`, () => assert.equal(endpointName(model), name));

  it('are listed with the key of their server, from the configuration before the environment', async () => {
    Object.assign(lists, { 1: ['a'], 2: ['b-embed'], 3: ['c'], 4: [] });
    const of = upstreams({
      environment: { KEY: 'k' },
      upstreams: [
        server(1, { apiKeyVariable: 'KEY' }),
        server(2, { apiKeyVariable: 'KEY', apiKey: 'own', baseUrl: 'http://h:2/v1//' }),
        server(3, { apiKeyVariable: 'NONE' }),
        server(4),
      ],
    });
    assert.equal(await names(of), 'a a-completion b-embed c c-completion');
    assert.deepEqual(asked.toSorted(), [
      'http://h:1/v1/models Bearer k',
      'http://h:2/v1/models Bearer own',
      'http://h:3/v1/models',
      'http://h:4/v1/models',
    ]);
    assert.ok(
      warned.includes('The environment variable NONE of the upstream "s3" is not set; requests go without a key.'),
    );
    assert.ok(warned.every((text) => text.includes('NONE')));
  });

  it('are those of the others where one cannot be listed, which is told until it can', async () => {
    Object.assign(lists, { 1: ['a'] });
    const of = upstreams({ upstreams: [server(1), server(2)] });
    assert.equal(await names(of), 'a a-completion');
    assert.equal(of.unlisted.length, 1);
    assert.match(
      of.unlisted[0] ?? '',
      /^The models of the upstream "s2" could not be listed\. .* at http:\/\/h:2\/v1 cannot be reached \(nobody there\)\./,
    );
    assert.deepEqual(warned, of.unlisted);
    lists['2'] = ['b'];
    await clock.advance(5000);
    assert.equal(await names(of), 'a a-completion b b-completion');
    assert.deepEqual(of.unlisted, []);
  });

  it('of a server that says nothing are waited for three seconds', async () => {
    const of = upstreams({
      upstreams: [server(1)],
      fetch: (_url, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    });
    const listed: string[] = [];
    const waiting = names(of).then((all) => listed.push(all));
    await clock.advance(2999);
    assert.equal(listed.length, 0);
    await clock.advance(1);
    await waiting;
    assert.match(of.unlisted[0] ?? '', /sent nothing for 3 s/);
  });

  it('are found anew after five seconds, and once for all who ask at the same time', async () => {
    Object.assign(lists, { 1: ['a'] });
    const of = upstreams({ upstreams: [server(1)] });
    const both = await Promise.all([names(of), names(of), names(of, { acceptOld: true })]);
    assert.deepEqual([both, asked.length], [Array<string>(3).fill('a a-completion'), 1]);
    lists['1'] = ['b'];
    await clock.advance(4999);
    assert.equal(await names(of), 'a a-completion');
    await clock.advance(1);
    assert.equal(await names(of, { acceptOld: true }), 'a a-completion');
    assert.equal(asked.length, 1);
    assert.equal(await names(of), 'b b-completion');
    assert.equal(asked.length, 2);
  });

  it('are found on this machine, but for those that are configured there', async () => {
    Object.assign(lists, { 1: ['a'], 2: ['b'], 3: ['c'] });
    const configured = server(1, { baseUrl: 'http://localhost:1/v1', models: ['own'] });
    const options = { discover: true, discoverPorts: [1, 2, 3], upstreams: [configured] };
    assert.deepEqual(await told(upstreams(options)), [
      'own chat upstream: Served by an OpenAI-compatible server at http://localhost:1/v1.',
      'own-completion completion upstream: Served by an OpenAI-compatible server at http://localhost:1/v1.',
      'b chat upstream: Served by vLLM at http://127.0.0.1:2/v1.',
      'b-completion completion upstream: Served by vLLM at http://127.0.0.1:2/v1.',
      'c chat upstream: Served by vLLM at http://127.0.0.1:3/v1.',
      'c-completion completion upstream: Served by vLLM at http://127.0.0.1:3/v1.',
    ]);
    asked = [];
    assert.equal(await names(upstreams({ ...options, discover: false })), 'own own-completion');
    assert.deepEqual(asked, []);
  });

  describe('of models.json', () => {
    let dataFolder: string;
    beforeEach(async () => {
      dataFolder = await mkdtemp(path.join(os.tmpdir(), 'millrace-upstreams-'));
    });
    afterEach(() => rm(dataFolder, { recursive: true, force: true }));
    const write = async (text: string, seconds: number): Promise<void> => {
      await writeFile(path.join(dataFolder, 'models.json'), text);
      await utimes(path.join(dataFolder, 'models.json'), seconds, seconds);
    };
    const file = (model: string, more: object = {}): string =>
      JSON.stringify({ upstreams: [server(1, { models: [model] })], ...more });

    it('stand behind those of the configuration, and hold as soon as they are written', async () => {
      await write(file('a'), 1000);
      const of = upstreams({ dataFolder, upstreams: [server(2, { models: ['z'] })] });
      assert.equal(await names(of), 'z z-completion a a-completion');
      await write(file('b'), 2000);
      assert.equal(await names(of, { acceptOld: true }), 'z z-completion a a-completion');
      assert.equal(await names(of), 'z z-completion b b-completion');
    });

    it('say whether others are looked for', async () => {
      lists['2'] = ['found'];
      await write(file('a', { discover: false }), 1000);
      const options = { dataFolder, discover: true, discoverPorts: [2] };
      assert.equal(await names(upstreams(options)), 'a a-completion');
      await write(file('a', { discover: true }), 2000);
      assert.equal(await names(upstreams(options)), 'a a-completion found found-completion');
    });

    it('are refused where they are none, and asked for again after that', async () => {
      await write('{', 1000);
      const of = upstreams({ dataFolder });
      await assert.rejects(of.endpoints(), /models\.json was not used: it is not JSON\./);
      await write(file('a'), 2000);
      assert.equal(await names(of), 'a a-completion');
    });
  });
});
