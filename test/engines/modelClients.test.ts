import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { startService, type Service } from '../../src/service/startup/service.ts';
import { silentLogger } from '../../src/shared/log.ts';
import { selfSigned } from '../unit/service/support/selfSigned.ts';
import { engineEnvironment, nodePackages, skipBecause } from './engineEnvironment.ts';

const execute = promisify(execFile);

describe('Existing model clients work unmodified', function () {
  this.timeout(300_000);
  let folder = '';
  let service: Service;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-clients-'));
    service = await startService({
      root: folder,
      dataFolder: path.join(folder, 'data'),
      logger: silentLogger,
      configuration: { discoverModels: false },
    });
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('openai and databricks-sdk of PyPI', async function () {
    const environment = await engineEnvironment('model-clients', ['openai', 'databricks-sdk']);
    if ('reason' in environment) skipBecause(this, environment.reason);
    const { python } = environment as { python: string };
    const { stdout } = await execute(python, [
      path.join(import.meta.dirname, 'modelClients.py'),
      service.url,
      service.token,
    ]);
    const seen = JSON.parse(stdout) as Record<string, unknown>;
    assert.match(String(seen['chat']), /max_retries/);
    assert.equal(seen['stream'], seen['chat']);
    assert.deepEqual(seen['finish'], ['stop']);
    assert.ok(Number(seen['usage']) > 0);
    assert.equal(seen['parsed'], 'What is max_retries?');
    assert.deepEqual(seen['tool'], { city: 'Weather in Oslo?' });
    assert.match(String(seen['completion']), /max_retries/);
    assert.deepEqual(seen['vectors'], [2, 256]);
    assert.match(String(seen['missing']), /"nothing" does not exist/);
    assert.match(String(seen['responses']), /Set the client to chat completions/);
    assert.match(String(seen['wrongBase']), /Did you mean \/serving-endpoints\/chat\/completions\?/);
    assert.match(String(seen['sdkMissing']), /"nothing" does not exist/);
    assert.deepEqual(seen['sdkJobs'], []);
    assert.deepEqual(seen['listed'], {
      guide: 'llm/v1/chat',
      'guide-completion': 'llm/v1/completions',
      'guide-embedding': 'llm/v1/embeddings',
    });
    assert.equal(seen['queried'], seen['chat']);
    assert.match(String(seen['queriedCompletion']), /max_retries/);
    assert.equal(seen['queriedVector'], 256);
    assert.deepEqual([seen['created'], seen['ready'], seen['choices']], ['made', 'READY', 2]);
    assert.deepEqual(seen['left'], ['guide', 'guide-completion', 'guide-embedding']);
  });

  it('openai of npm', async function () {
    const packages = await nodePackages('openai-node', ['openai']);
    if ('reason' in packages) skipBecause(this, packages.reason);
    const entry = pathToFileURL(path.join(packages.folder, 'node_modules', 'openai', 'index.mjs'));
    const { default: OpenAi } = (await import(entry.href)) as { default: new (options: object) => OpenAiClient };
    const client = new OpenAi({ baseURL: `${service.url}/serving-endpoints`, apiKey: service.token, maxRetries: 0 });
    const messages = [{ role: 'user', content: 'What is max_retries?' }];
    const whole = await client.chat.completions.create({ model: 'guide', messages });
    assert.match(whole.choices[0]?.message.content ?? '', /max_retries/);
    const streamed = await client.chat.completions.stream({ model: 'guide', messages }).finalChatCompletion();
    assert.equal(streamed.choices[0]?.message.content, whole.choices[0]?.message.content);
    const vectors = await client.embeddings.create({ model: 'guide-embedding', input: 'x' });
    assert.equal(vectors.data[0]?.embedding.length, 256);
    assert.equal(typeof vectors.data[0]?.embedding[0], 'number');
    await assert.rejects(
      client.chat.completions.create({ model: 'nothing', messages }),
      /^\S*Error: 404 The serving endpoint "nothing" does not exist/,
    );
    await assert.rejects(
      client.responses.create({ model: 'guide', input: 'hi' }),
      /404 There is no .*Set the client to chat completions/,
    );
    const astray = new OpenAi({ baseURL: `${service.url}/v1`, apiKey: service.token, maxRetries: 0 });
    await assert.rejects(
      astray.chat.completions.create({ model: 'guide', messages }),
      /404 There is no .*Did you mean/,
    );
  });

  it('@databricks/langchainjs and @databricks/sdk-experimental of npm, which require HTTPS and omit the port', async function () {
    const packages = await nodePackages('databricks-node', ['@databricks/langchainjs', '@databricks/sdk-experimental']);
    if ('reason' in packages) skipBecause(this, packages.reason);
    const tls = selfSigned();
    let secure: Service;
    try {
      const data = path.join(folder, 'secure');
      secure = await startService({
        root: folder,
        dataFolder: data,
        logger: silentLogger,
        configuration: { discoverModels: false },
        tls,
        port: 443,
      });
    } catch (error) {
      skipBecause(this, (error as Error).message);
    }
    try {
      const certificate = path.join(folder, 'cert.pem');
      await writeFile(certificate, tls.cert);
      // Found from the folder that it runs in, as a user's own program finds them.
      const { stdout } = await execute(
        process.execPath,
        ['--input-type=module', '-e', databricksScript, 'https://127.0.0.1', secure.token],
        {
          cwd: packages.folder,
          env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
        },
      );
      const seen = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
      assert.match(String(seen['invoked']), /max_retries/);
      assert.equal(seen['streamed'], seen['invoked']);
      assert.equal(seen['queried'], seen['invoked']);
      assert.deepEqual(seen['called'], ['get_weather', { city: 'get_weather of Oslo' }]);
      assert.deepEqual(seen['listed'], ['guide', 'guide-completion', 'guide-embedding']);
      assert.match(String(seen['missing']), /"nothing\\?" does not exist/);
      assert.match(String(seen['responses']), /Set the client to chat completions/);
      assert.match(
        String(seen['sdkMissing']),
        /^404 RESOURCE_DOES_NOT_EXIST The serving endpoint "nothing" does not exist/,
      );
      assert.match(String(seen['sdkToken']), /^401 UNAUTHENTICATED The token is not valid for this service/);
      assert.deepEqual([seen['sdkJobs'], seen['sdkSubmit']], [[], 'no error']);
    } finally {
      await secure.close();
    }
  });
});

const databricksScript = `
import { ChatDatabricks } from '@databricks/langchainjs';
import sdk from '@databricks/sdk-experimental';
const [host, token] = process.argv.slice(1);
const content = 'What is max_retries?';
const refused = (call) => call.then(() => 'no error', ({ statusCode, errorCode, message }) => [statusCode, errorCode, message].join(' '));
const collect = async (items, of) => {
  const all = [];
  for await (const item of await items) all.push(of(item));
  return all;
};
const chat = (model, more) => new ChatDatabricks({ model, auth: { host, token }, maxRetries: 0, ...more });
const client = new sdk.WorkspaceClient({ host, token });
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tool = { type: 'function', function: { name: 'get_weather', parameters } };
const { tool_calls: [call] } = await chat('guide').bindTools([tool], { tool_choice: 'required' }).invoke('get_weather of Oslo');
const query = (to, name) => to.servingEndpoints.query({ name, messages: [{ role: 'user', content }] });
const task = { task_key: 'main', existing_cluster_id: 'any', notebook_task: { notebook_path: '/notebook' } };
console.log(JSON.stringify({
  invoked: (await chat('guide').invoke(content)).content,
  streamed: (await collect(chat('guide').stream(content), (chunk) => chunk.content)).join(''),
  called: [call.name, call.args],
  missing: await refused(chat('nothing').invoke(content)),
  responses: await refused(chat('guide', { useResponsesApi: true }).invoke(content)),
  listed: await collect(client.servingEndpoints.list(), ({ name }) => name),
  queried: (await query(client, 'guide')).choices[0].message.content,
  sdkMissing: await refused(query(client, 'nothing')),
  sdkToken: await refused(query(new sdk.WorkspaceClient({ host, token: 'another' }), 'guide')),
  sdkJobs: await collect(client.jobs.list({}), ({ job_id }) => job_id),
  sdkSubmit: await refused(client.jobs.submit({ run_name: 'once', tasks: [task] })),
}));
`;

/** The part of the npm client that is called; it is installed only for this test. */
interface OpenAiClient {
  chat: {
    completions: {
      create(request: object): Promise<ChatAnswer>;
      stream(request: object): { finalChatCompletion(): Promise<ChatAnswer> };
    };
  };
  embeddings: { create(request: object): Promise<{ data: { embedding: number[] }[] }> };
  responses: { create(request: object): Promise<unknown> };
}
interface ChatAnswer {
  choices: { message: { content: string } }[];
}
