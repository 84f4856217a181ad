import assert from 'node:assert/strict';
import { createClient, type WorkspaceClient } from '../../../../src/api/client/index.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { scriptedFetch } from '../../../support/scriptedFetch.ts';

const { fetch, requests } = scriptedFetch(() => ({ status: 200, body: '{"run_id":1,"job_id":1}' }));
const client = createClient({ baseUrl: 'https://service.example', auth: { kind: 'none' }, fetch });
const notebook = { existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } };
const cluster = { spark_version: '15', node_type_id: 'n', num_workers: 1 };
const user = { role: 'user' as const, content: 'Hi' };
const tool = (name: string, properties = 1): object => ({
  type: 'function',
  function: {
    name,
    description: 'd',
    parameters: {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: properties }, (_, index) => [`p${index}`, {}])),
    },
  },
});
const call = { id: '1', type: 'function' as const, function: { name: 'f', arguments: '{}' } };

/** A request that the types do not allow, as it could come from a file or from JavaScript. */
const loose = <T>(value: unknown): T => value as T;
type Chat = Parameters<WorkspaceClient['inference']['chat']>[1];
type Create = Parameters<WorkspaceClient['jobs']['create']>[0];

/** Every limit and rule of both documents for what is sent, and the words in which a broken one is told. */
const rules: [send: () => Promise<unknown>, message: string][] = [
  [
    () => client.jobs.runNow({ job_id: '1', python_params: ['a'.repeat(9999)] }),
    'jobs/run-now was not sent. python_params: the JSON form of python_params has 10003 bytes; at most 10,000 are allowed. Pass large values through a file.',
  ],
  [
    () => client.jobs.runNow({ job_id: '1', notebook_params: { a: 'ü' } }),
    'jobs/run-now was not sent. notebook_params.a: must hold ASCII characters only; "ü" (U+00FC) is not one.',
  ],
  [
    () => client.jobs.runNow({ job_id: '1', notebook_params: { ü: 'a' } }),
    'jobs/run-now was not sent. notebook_params["ü"]: the name must hold ASCII characters only; "ü" (U+00FC) is not one.',
  ],
  [
    () => client.jobs.runNow({ job_id: '1', spark_submit_params: ['€'] }),
    'jobs/run-now was not sent. spark_submit_params[0]: must hold ASCII characters only; "€" (U+20AC) is not one.',
  ],
  [
    () => client.jobs.runNow({ job_id: '1', jar_params: ['a'], python_params: ['b'] }),
    'jobs/run-now was not sent. python_params: jar_params and python_params are given; a run takes only the one kind that its task reads. Remove the others.',
  ],
  [
    () => client.jobs.runNow({ job_id: '1', idempotency_token: 'x'.repeat(65) }),
    'jobs/run-now was not sent. idempotency_token: idempotency_token has 65 characters; at most 64 are allowed.',
  ],
  [
    () => client.jobs.runNow({ job_id: '9223372036854775808' }),
    'jobs/run-now was not sent. job_id: must be a whole number between -9223372036854775808 and 9223372036854775807.',
  ],
  [
    () => client.jobs.submit({ ...notebook, run_name: 'ü'.repeat(2049) }),
    'jobs/runs/submit was not sent. run_name: run_name has 4098 bytes in UTF-8; at most 4096 are allowed. Shorten it.',
  ],
  [
    () => client.jobs.submit({ existing_cluster_id: 'c' }),
    'jobs/runs/submit was not sent. No task is given. Add one of notebook_task, spark_jar_task, ' +
      'spark_python_task, spark_submit_task, pipeline_task and run_job_task.',
  ],
  [
    () => client.jobs.listRuns({ limit: 1000 }),
    'jobs/runs/list was not sent. limit: must be less than 1000; 0 means the maximum.',
  ],
  [() => client.jobs.listRuns({ limit: -1 }), 'jobs/runs/list was not sent. limit: must be at least 0, not -1.'],
  [
    () => client.jobs.listRuns({ active_only: true, completed_only: true }),
    'jobs/runs/list was not sent. completed_only: active_only and completed_only cannot both be true. Leave one out.',
  ],
  [
    () => client.jobs.exportRun(loose({ run_id: '1', views_to_export: 'EVERYTHING' })),
    'jobs/runs/export was not sent. views_to_export: must be one of CODE, DASHBOARDS or ALL, not the text "EVERYTHING".',
  ],
  [
    () => client.jobs.create(loose<Create>({ ...notebook, name: 5 })),
    'jobs/create was not sent. name: must be text, not the number 5.',
  ],
  [
    () => client.jobs.create({ ...notebook, max_concurrent_runs: 1001 }),
    'jobs/create was not sent. max_concurrent_runs: must not exceed 1000.',
  ],
  [
    () => client.jobs.create({ ...notebook, max_retries: -2 }),
    'jobs/create was not sent. max_retries: must be -1 (retry indefinitely), 0 (never) or the number of retries.',
  ],
  [
    () => client.jobs.create({ ...notebook, timeout_seconds: 1.5 }),
    'jobs/create was not sent. timeout_seconds: must be a whole number.',
  ],
  [
    () => client.jobs.create({ existing_cluster_id: 'c', notebook_task: { notebook_path: 'n' } }),
    'jobs/create was not sent. notebook_task.notebook_path: must be an absolute path of the workspace: ' +
      'it starts with a slash, such as /Users/someone@example.com/report.',
  ],
  [
    () =>
      client.jobs.create({
        ...notebook,
        webhook_notifications: { on_start: [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }] },
      }),
    'jobs/create was not sent. webhook_notifications.on_start: holds more than 3 destinations; at most 3 are allowed for each event.',
  ],
  [
    () => client.jobs.create({ ...notebook, email_notifications: { on_failure: ['jürgen@example.com'] } }),
    'jobs/create was not sent. email_notifications.on_failure[0]: must hold ASCII characters only; "ü" (U+00FC) is not one.',
  ],
  [
    () =>
      client.jobs.create({
        ...notebook,
        schedule: { quartz_cron_expression: '0 0 2 * * ?', timezone_id: 'Mars/Base' },
      }),
    'jobs/create was not sent. schedule.timezone_id: "Mars/Base" is not a time zone id. Use an id of ' +
      'the IANA time zone database, such as "UTC", "Europe/Berlin" or "America/New_York".',
  ],
  [
    () => client.jobs.create({ ...notebook, new_cluster: cluster }),
    'jobs/create was not sent. existing_cluster_id: existing_cluster_id and new_cluster are both given; a job uses one of them. Remove one.',
  ],
  [
    () =>
      client.jobs.create({
        notebook_task: { notebook_path: '/n' },
        new_cluster: { ...cluster, ssh_public_keys: Array.from({ length: 11 }, String) },
      }),
    'jobs/create was not sent. new_cluster.ssh_public_keys: holds more than 10 keys; up to 10 are allowed.',
  ],
  [
    () =>
      client.jobs.create({
        notebook_task: { notebook_path: '/n' },
        new_cluster: {
          ...cluster,
          custom_tags: Object.fromEntries(Array.from({ length: 46 }, (_, index) => [`k${index}`, 'v'])),
        },
      }),
    'jobs/create was not sent. new_cluster.custom_tags: holds 46 tags; at most 45 are allowed. Remove 1.',
  ],
  [
    () =>
      client.jobs.create({
        notebook_task: { notebook_path: '/n' },
        new_cluster: { ...cluster, cloud_attributes: { spot_bid_price_percent: 10_001 } },
      }),
    'jobs/create was not sent. new_cluster.cloud_attributes.spot_bid_price_percent: must be at most 10000, not 10001.',
  ],
  [
    () =>
      client.jobs.create({
        notebook_task: { notebook_path: '/n' },
        new_cluster: { ...cluster, num_workers: undefined, autoscale: { min_workers: 2, max_workers: 2 } },
      }),
    'jobs/create was not sent. new_cluster.autoscale.max_workers: max_workers is 2 and must be greater than min_workers, which is 2.',
  ],
  [() => client.inference.chat('e', { messages: [] }), 'chat was not sent. messages: must hold at least one message.'],
  [
    () => client.inference.chat('e', { messages: [user, { role: 'system', content: 's' }] }),
    'chat was not sent. messages[1].role: the system role may be used only once, as the first message. Move its text there.',
  ],
  [
    () => client.inference.chat('e', { messages: [{ role: 'assistant', content: 'a', tool_calls: [call] }] }),
    'chat was not sent. messages[0].content: content must not be given together with tool_calls. Remove one of them.',
  ],
  [
    () => client.inference.chat('e', { messages: [{ role: 'user', tool_calls: [call] }] }),
    'chat was not sent. messages[0].tool_calls: tool_calls require the role assistant, not user.',
  ],
  [
    () => client.inference.chat('e', { messages: [{ role: 'tool', content: 'a' }] }),
    'chat was not sent. messages[0].tool_call_id: a message with the role tool names the tool call it answers in tool_call_id.',
  ],
  [
    () => client.inference.chat('e', loose<Chat>({ messages: [{ role: 'robot', content: 'a' }] })),
    'chat was not sent. messages[0].role: must be one of system, user, assistant or tool, not the text "robot".',
  ],
  [
    () => client.inference.chat('e', loose<Chat>({ messages: [{ role: 'user', content: 5 }] })),
    'chat was not sent. messages[0].content: must be text or a list, not the number 5.',
  ],
  [
    () => client.inference.chat('e', { messages: [user], temperature: 2.5 }),
    'chat was not sent. temperature: must be at most 2, not 2.5.',
  ],
  [
    () => client.inference.chat('e', { messages: [user], top_p: 0 }),
    'chat was not sent. top_p: must be greater than 0, not 0.',
  ],
  [
    () => client.inference.chat('e', { messages: [user], max_tokens: 0 }),
    'chat was not sent. max_tokens: must be at least 1, not 0.',
  ],
  [
    () => client.inference.chat('e', { messages: [user], top_logprobs: 21, logprobs: true }),
    'chat was not sent. top_logprobs: must be at most 20, not 21.',
  ],
  [
    () => client.inference.chat('e', { messages: [user], top_logprobs: 3 }),
    'chat was not sent. top_logprobs: requires logprobs to be true.',
  ],
  [
    () =>
      client.inference.chat(
        'e',
        loose<Chat>({ messages: [user], tools: Array.from({ length: 33 }, (_, index) => tool(`f${index}`)) }),
      ),
    'chat was not sent. tools: holds more than 32 functions; at most 32 are allowed.',
  ],
  [
    () => client.inference.chat('e', loose<Chat>({ messages: [user], tools: [tool('f', 16)] })),
    'chat was not sent. tools[0].function.parameters: the function f has 16 properties; at most 15 are allowed.',
  ],
  [
    () => client.inference.chat('e', { messages: [user], tool_choice: 'auto' }),
    'chat was not sent. tool_choice: is used only together with tools. Add tools or remove it.',
  ],
  [
    () =>
      client.inference.chat(
        'e',
        loose<Chat>({
          messages: [user],
          tools: [tool('f')],
          tool_choice: { type: 'function', function: { name: 'g' } },
        }),
      ),
    'chat was not sent. tool_choice.function.name: "g" is not the name of a function in tools.',
  ],
  [
    () => client.inference.chat('e', { messages: [user], response_format: { type: 'json_schema' } }),
    'chat was not sent. response_format.json_schema: is required when the type is json_schema.',
  ],
  [() => client.inference.chat('', { messages: [user] }), 'chat was not sent. The name of the endpoint is empty.'],
  [() => client.inference.chat('..', { messages: [user] }), 'chat was not sent. The name of the endpoint is "..".'],
  [() => client.inference.complete('e', loose({})), 'completion was not sent. prompt: is required.'],
  [() => client.inference.embed('e', { input: [] }), 'embedding was not sent. input: must not be an empty list.'],
  [
    () => client.inference.createEndpoint({ name: 'no spaces' }),
    'serving-endpoints/create was not sent. name: must start with a letter or digit and hold at most 63 letters, digits, "-", "_" and ".".',
  ],
  [
    () => client.inference.embed('e', { input: 'a'.repeat(10_500_000) }),
    'embedding was not sent. The request has 10,500,012 bytes; at most 10 MB (10,485,760 bytes) are allowed.',
  ],
];

describe('requests', () => {
  for (const [send, message] of rules) {
    it(`are refused: ${message.slice(0, 150)}`, async () => {
      await assert.rejects(send(), (error) => {
        assert.ok(error instanceof AppError && (error.kind === 'invalid' || error.kind === 'tooLarge'), String(error));
        assert.equal(error.message, message);
        return true;
      });
      assert.equal(requests.length, 0, 'nothing is sent');
    });
  }

  it('a base URL is checked before anything is sent', () => {
    const refused: [baseUrl: string, text: RegExp][] = [
      ['service.example', /not an http or https address/],
      ['ftp://service.example', /not an http or https/],
      ['https://user:secret@service.example', /holds a user name or password/],
      ['https://:secret@service.example', /holds a user name or password/],
      ['https://secret@service.example', /holds a user name or password/],
      ['https://service.example/?o=1', /holds a query or fragment/],
      ['https://service.example/#secret', /holds a query or fragment/],
    ];
    for (const [baseUrl, text] of refused) {
      assert.throws(
        () => createClient({ baseUrl, auth: { kind: 'none' } }),
        (error) =>
          error instanceof AppError &&
          error.kind === 'invalid' &&
          text.test(error.message) &&
          error.remedy?.startsWith('Enter it as https://host') === true &&
          !error.message.includes('secret'),
      );
    }
    assert.equal(
      createClient({ baseUrl: 'https://service.example/path//', auth: { kind: 'none' } }).baseUrl,
      'https://service.example/path',
    );
  });

  it('a token that cannot be sent is told before anything is sent', async () => {
    for (const token of ['', ' ', 'two\nlines', 'ümlaut']) {
      const one = createClient({ baseUrl: 'https://service.example', auth: { kind: 'bearer', token }, fetch });
      await assert.rejects(
        one.jobs.list(),
        (error) =>
          error instanceof AppError &&
          error.kind === 'unauthenticated' &&
          /Nothing was sent/.test(error.message) &&
          !(token.trim() !== '' && error.message.includes(token)),
      );
    }
    assert.equal(requests.length, 0);
  });
});
