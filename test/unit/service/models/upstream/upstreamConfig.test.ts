import assert from 'node:assert/strict';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  modelsFileState,
  parseUpstreams,
  readModelsFile,
} from '../../../../../src/service/models/upstream/upstreamConfig.ts';
import { AppError } from '../../../../../src/shared/errors.ts';

const baseUrl = 'http://127.0.0.1:11434/v1';

describe('models.json', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-models-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const write = (text: string): Promise<void> => writeFile(join(folder, 'models.json'), text);

  it('is empty where it is not there, and fills in what is left out', async () => {
    assert.deepEqual(await readModelsFile(folder), { upstreams: [] });
    await write('{}');
    assert.deepEqual(await readModelsFile(folder), { upstreams: [] });
    await write(JSON.stringify({ $schema: 'x', discover: false, upstreams: [{ name: 'up', baseUrl }] }));
    assert.deepEqual(await readModelsFile(folder), {
      $schema: 'x',
      discover: false,
      upstreams: [{ name: 'up', kind: 'generic', baseUrl, models: 'all', timeoutInSeconds: 300 }],
    });
  });

  const upstream = (more: object): string => JSON.stringify({ upstreams: [{ name: 'up', baseUrl, ...more }] });
  for (const [what, text, said] of [
    ['no JSON', '{', /it is not JSON\.$/],
    ['an unknown field', '{"upstream":[]}', /upstream/],
    ['no list', '{"upstreams":{}}', /upstreams /],
    ['a name with a space', upstream({ name: 'a b' }), /upstreams\.0\.name must start with a letter or digit/],
    ['a name of 64 characters', upstream({ name: 'a'.repeat(64) }), /upstreams\.0\.name must start/],
    [
      'an address of another kind',
      upstream({ baseUrl: 'ftp://x' }),
      /upstreams\.0\.baseUrl must be an http or https URL/,
    ],
    [
      'a variable that is none',
      upstream({ apiKeyVariable: '1A' }),
      /upstreams\.0\.apiKeyVariable must be the name of an environment variable/,
    ],
    ['no time', upstream({ timeoutInSeconds: 0 }), /upstreams\.0\.timeoutInSeconds/],
    ['more than an hour', upstream({ timeoutInSeconds: 3601 }), /upstreams\.0\.timeoutInSeconds/],
    ['no model', upstream({ models: [] }), /upstreams\.0\.models/],
    [
      'a template without the text',
      upstream({ models: [{ model: 'm', instructionTemplate: '{instruction}' }] }),
      /upstreams\.0\.models/,
    ],
    [
      'a key',
      upstream({ apiKey: 'k' }),
      /it holds the API key of "up" itself\. Put the key into an environment variable/,
    ],
  ] as const)
    it(`with ${what} is not used, in words that say where`, async () => {
      await write(text);
      await assert.rejects(readModelsFile(folder), (error) => {
        assert.ok(error instanceof AppError);
        assert.ok(error.message.startsWith(`${join(folder, 'models.json')} was not used: `), error.message);
        assert.match(error.message, said);
        assert.deepEqual(
          [error.kind, error.status, error.errorCode, error.remedy],
          ['invalid', 500, 'INTERNAL_ERROR', 'Correct it; it is read again at the next request.'],
        );
        return true;
      });
    });

  it('with all that may be set is used', async () => {
    const all = {
      name: `a${'.b'.repeat(31)}`,
      kind: 'ollama',
      baseUrl: 'https://models.example/v1',
      apiKeyVariable: '_KEY1',
      models: ['a', { model: 'b', endpoint: 'e', task: 'embedding', instructionTemplate: '{instruction}: {input}' }],
      timeoutInSeconds: 3600,
    };
    await write(JSON.stringify({ upstreams: [all] }));
    assert.deepEqual((await readModelsFile(folder)).upstreams, [all]);
  });

  it('has another state for another time and for another length', async () => {
    const states: string[] = [];
    for (const [text, seconds] of [
      ['a', 1000],
      ['b', 2000],
      ['bc', 2000],
      ['ab', 2000],
    ] as const) {
      await write(text);
      await utimes(join(folder, 'models.json'), seconds, seconds);
      states.push(await modelsFileState(folder));
    }
    assert.deepEqual(states, ['1000000 1', '2000000 1', '2000000 2', '2000000 2']);
  });

  it('is told from what it was, by its time or its length', async () => {
    const states = [await modelsFileState(folder)];
    for (const text of ['{}', '{ }']) {
      await write(text);
      states.push(await modelsFileState(folder));
    }
    assert.deepEqual([states[0], new Set(states).size], ['', 3]);
  });

  it('that is no file is told as it is', async () => {
    await assert.rejects(readModelsFile(join(folder, '\0')));
  });
});

describe('upstreams of a host', () => {
  it('may hold their key, and are refused with the place', () => {
    assert.equal(parseUpstreams([{ name: 'up', baseUrl, apiKey: 'k' }])[0]?.apiKey, 'k');
    assert.throws(
      () => parseUpstreams([{ name: 'up', baseUrl }, { name: 'up' }]),
      (error) => {
        assert.ok(error instanceof AppError);
        assert.match(error.message, /^The upstreams were not used: 1\.baseUrl /);
        return error.status === 500 && error.errorCode === 'INTERNAL_ERROR' && error.kind === 'invalid';
      },
    );
  });
});
