import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { startService, type Service } from '../../src/service/service.ts';
import { silentLogger } from '../../src/shared/log.ts';
import { engineEnvironment, skipBecause } from './engineEnvironment.ts';

const execute = promisify(execFile);

/** The client of npm, kept beside the environments. */
async function nodeClient(): Promise<string | undefined> {
  const folder = path.resolve('.cache', 'engines', 'openai-node');
  const entry = path.join(folder, 'node_modules', 'openai', 'index.mjs');
  try {
    await readFile(entry);
    return entry;
  } catch {
    // Not there yet.
  }
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'package.json'), '{"private":true}');
    await execute('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', 'openai'], { cwd: folder });
    return entry;
  } catch (error) {
    console.log(`      openai of npm cannot be installed here: ${(error as Error).message.split('\n')[0]}`);
    return undefined;
  }
}

describe('existing clients of models', function () {
  this.timeout(300_000);
  let folder = '';
  let service: Service;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-clients-'));
    service = await startService({ root: folder, dataFolder: path.join(folder, 'data'), logger: silentLogger, configuration: { discoverModels: false } });
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('openai and databricks-sdk of PyPI, unmodified', async function () {
    const environment = await engineEnvironment('model-clients', ['openai', 'databricks-sdk']);
    if ('reason' in environment) skipBecause(this, environment.reason);
    const { python } = environment as { python: string };
    const { stdout } = await execute(python, [path.join(import.meta.dirname, 'modelClients.py'), service.url, service.token]);
    const seen = JSON.parse(stdout) as Record<string, unknown>;
    assert.match(String(seen['chat']), /max_retries/);
    assert.equal(seen['stream'], seen['chat']);
    assert.deepEqual(seen['finish'], ['stop']);
    assert.ok(Number(seen['usage']) > 0);
    assert.equal(seen['parsed'], 'max_retries');
    assert.deepEqual(seen['tool'], { city: 'Oslo' });
    assert.match(String(seen['completion']), /max_retries/);
    assert.deepEqual(seen['vectors'], [2, 256]);
    assert.match(String(seen['missing']), /"nothing" does not exist/);
    assert.deepEqual(seen['listed'], { guide: 'llm/v1/chat', 'guide-completion': 'llm/v1/completions', 'guide-embedding': 'llm/v1/embeddings' });
    assert.equal(seen['queried'], seen['chat']);
    assert.match(String(seen['queriedCompletion']), /max_retries/);
    assert.equal(seen['queriedVector'], 256);
    assert.deepEqual([seen['created'], seen['ready'], seen['choices']], ['made', 'READY', 2]);
    assert.deepEqual(seen['left'], ['guide', 'guide-completion', 'guide-embedding']);
  });

  it('openai of npm, unmodified', async function () {
    const entry = await nodeClient();
    if (entry === undefined) return this.skip();
    const { default: OpenAi } = (await import(pathToFileURL(entry).href)) as { default: new (options: object) => OpenAiClient };
    const client = new OpenAi({ baseURL: `${service.url}/serving-endpoints`, apiKey: service.token, maxRetries: 0 });
    const messages = [{ role: 'user', content: 'What is max_retries?' }];
    const whole = await client.chat.completions.create({ model: 'guide', messages });
    assert.match(whole.choices[0]?.message.content ?? '', /max_retries/);
    const streamed = await client.chat.completions.stream({ model: 'guide', messages }).finalChatCompletion();
    assert.equal(streamed.choices[0]?.message.content, whole.choices[0]?.message.content);
    const vectors = await client.embeddings.create({ model: 'guide-embedding', input: 'x' });
    assert.equal(vectors.data[0]?.embedding.length, 256);
    assert.equal(typeof vectors.data[0]?.embedding[0], 'number');
    return undefined;
  });
});

/** The part of the npm client that is called; it is installed only for this test. */
interface OpenAiClient {
  chat: { completions: { create(request: object): Promise<ChatAnswer>; stream(request: object): { finalChatCompletion(): Promise<ChatAnswer> } } };
  embeddings: { create(request: object): Promise<{ data: { embedding: number[] }[] }> };
}
interface ChatAnswer {
  choices: { message: { content: string } }[];
}
