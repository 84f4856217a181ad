import assert from 'node:assert/strict';
import { createClient, type Client } from '../../../../src/api/client/index.ts';
import { notDone, notKnown } from '../../../../src/api/client/outcome.ts';
import { clusterRoutes } from '../../../../src/api/schema/clusterRoutes.ts';
import { inferenceRoutes } from '../../../../src/api/schema/inference/routes.ts';
import { jobsRoutes } from '../../../../src/api/schema/jobs/routes.ts';
import type { Route } from '../../../../src/api/schema/route.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { hastyClock } from '../../../support/hastyClock.ts';
import { scriptedFetch } from '../../../support/scriptedFetch.ts';

const messages = [{ role: 'user' as const, content: 'Hi' }];
const settings = { name: 'n', existing_cluster_id: 'c', spark_python_task: { python_file: '/a.py' } };

/** Every operation, called as the product calls it. */
const calls: readonly [route: Route, call: (client: Client) => Promise<unknown>][] = [
  [jobsRoutes.create, (client) => client.jobs.create(settings)],
  [jobsRoutes.list, (client) => client.jobs.list()],
  [jobsRoutes.delete, (client) => client.jobs.delete('1')],
  [jobsRoutes.get, (client) => client.jobs.get('1')],
  [jobsRoutes.reset, (client) => client.jobs.reset('1', settings)],
  [jobsRoutes.update, (client) => client.jobs.update({ job_id: '1', new_settings: { name: 'x' } })],
  [jobsRoutes.runNow, (client) => client.jobs.runNow({ job_id: '1' })],
  [jobsRoutes.submit, (client) => client.jobs.submit(settings)],
  [jobsRoutes.listRuns, (client) => client.jobs.listRuns()],
  [jobsRoutes.getRun, (client) => client.jobs.getRun('1')],
  [jobsRoutes.exportRun, (client) => client.jobs.exportRun({ run_id: '1' })],
  [jobsRoutes.cancelRun, (client) => client.jobs.cancelRun('1')],
  [jobsRoutes.cancelAllRuns, (client) => client.jobs.cancelAllRuns('1')],
  [jobsRoutes.getRunOutput, (client) => client.jobs.getRunOutput('1')],
  [jobsRoutes.deleteRun, (client) => client.jobs.deleteRun('1')],
  [clusterRoutes.sparkVersions, (client) => client.clusters.sparkVersions()],
  [clusterRoutes.listNodeTypes, (client) => client.clusters.listNodeTypes()],
  [clusterRoutes.listZones, (client) => client.clusters.listZones()],
  [inferenceRoutes.chat, (client) => client.inference.chat('e', { messages })],
  [inferenceRoutes.complete, (client) => client.inference.complete('e', { prompt: 'Hi' })],
  [inferenceRoutes.embed, (client) => client.inference.embed('e', { input: 'Hi' })],
  [inferenceRoutes.createEndpoint, (client) => client.inference.createEndpoint({ name: 'e' })],
  [inferenceRoutes.deleteEndpoint, (client) => client.inference.deleteEndpoint('e')],
  [inferenceRoutes.listEndpoints, (client) => client.inference.listEndpoints()],
];
const lists = calls.filter(([{ list }]) => list !== undefined);

function clientFor(body: string, status = 200, onSkipped?: (text: string) => void): Client {
  const { fetch } = scriptedFetch(() => ({ status, body }));
  return createClient({
    baseUrl: 'https://service.example',
    auth: { kind: 'none' },
    fetch,
    retry: 'fail',
    clock: hastyClock,
    onSkipped,
  });
}

/** Fails if the call does not fail in the way that is meant. */
async function failure(
  route: Route,
  call: (client: Client) => Promise<unknown>,
  body: string,
  status = 200,
): Promise<AppError> {
  try {
    const answer = await call(clientFor(body, status));
    return assert.fail(`${route.operation} took ${body.slice(0, 60)} for ${JSON.stringify(answer)}`);
  } catch (error) {
    assert.ok(
      error instanceof AppError && error.kind !== 'internal',
      `${route.operation}, ${body.slice(0, 60)}: ${String(error)}`,
    );
    assert.equal(error.operation, route.operation);
    assert.notEqual(error.remedy, undefined);
    return error;
  }
}

const outcome = ({ mutates, operation }: Route): string => (mutates ? notKnown(operation) : notDone(operation));

describe('answers that are none', () => {
  it('are looked at for every operation', () => {
    const routes = [jobsRoutes, clusterRoutes, inferenceRoutes].flatMap((each) => Object.values(each));
    assert.deepEqual(
      new Set(calls.map(([{ operation }]) => operation)),
      new Set(routes.map(({ operation }) => operation)),
    );
    for (const { list, needs, bodiless, operation } of routes) {
      // The schemas of the others ask for an id.
      const hasId = ['jobs/create', 'jobs/get', 'jobs/run-now', 'jobs/runs/submit', 'jobs/runs/get'].includes(
        operation,
      );
      assert.ok(hasId || list !== undefined || needs !== undefined || bodiless === true, operation);
    }
  });

  it('are errors that say what came, with any status of success', async () => {
    const came: readonly [body: string, words: RegExp][] = [
      ['[]', /not a list/],
      ['[{"job_id":1}]', /not a list/],
      ['null', /not null/],
      ['5', /not the number 5/],
      ['"jobs"', /not the text "jobs"/],
      ['true', /not true/],
      ['<html><title>Sign in</title></html>', /web page \("Sign in"\)/],
      ['OK', /text that is not JSON \(OK\)/],
      ['{"jobs":[', /ended before it was complete/],
    ];
    for (const [route, call] of calls) {
      for (const [body, words] of came) {
        for (const status of [200, 201]) {
          const error = await failure(route, call, body, status);
          assert.match(error.message, words, `${route.operation}, ${body}`);
          assert.ok(error.message.includes(outcome(route)), error.message);
        }
      }
    }
  });

  it('are errors where nothing came at all, unless the document shows no body', async () => {
    for (const [route, call] of calls) {
      for (const [body, status] of [
        ['', 200],
        [' \r\n', 200],
        ['', 204],
      ] as const) {
        if (route.bodiless === true) await call(clientFor(body, status));
        else assert.match((await failure(route, call, body, status)).message, /It is empty\./, route.operation);
      }
    }
  });

  it('are what the server says, where it reports an error with a status of success', async () => {
    const errors = [
      '{"error_code":"TEMPORARY","message":"It is broken"}',
      '{"error":{"code":"TEMPORARY","message":"It is broken"}}',
      '{"error_code":"TEMPORARY","message":"It is broken","details":[]}',
    ];
    for (const [route, call] of calls) {
      for (const body of errors) {
        const error = await failure(route, call, body);
        assert.match(
          error.message,
          /the server reports an error \(HTTP 200, TEMPORARY\) and said: It is broken\./,
          `${route.operation}, ${body}`,
        );
        assert.ok(error.message.includes(outcome(route)), error.message);
      }
    }
    const denied = await failure(
      jobsRoutes.list,
      (client) => client.jobs.list(),
      '{"error_code":"PERMISSION_DENIED","message":"No"}',
    );
    assert.equal(denied.kind, 'forbidden');
  });

  it('are errors where the list has another name, and an empty list where nothing is named', async () => {
    for (const [route, call] of lists) {
      for (const body of ['{"status":"UP"}', '{"items":[]}', '{"data":[],"has_more":false}', '{"Jobs":[]}']) {
        const error = await failure(route, call, body);
        assert.match(error.message, new RegExp(`It has no list "${route.list}"; it holds "`), error.message);
      }
      for (const body of ['{}', '{"has_more":false}', `{"${route.list}":null}`, `{"${route.list}":[]}`])
        await call(clientFor(body));
      assert.match((await failure(route, call, `{"${route.list}":{"a":1}}`)).message, /must be a list, not an object/);
    }
  });

  it('are told without the token, wherever it stands in them', async () => {
    const token = 'canary-token';
    for (const body of [
      `{"jobs":"${token}"}`,
      `{"jobs":["${token}"]}`,
      `{"${token}":1}`,
      `"${token}"`,
      token,
      `<html><title>${token}</title>`,
      `{"error_code":"${token}","message":"${token}"}`,
    ]) {
      const { fetch } = scriptedFetch(() => ({ status: 200, body }));
      const client = createClient({
        baseUrl: 'https://service.example',
        auth: { kind: 'bearer', token },
        fetch,
        retry: 'fail',
      });
      await assert.rejects(
        client.jobs.list(),
        (error) =>
          error instanceof AppError &&
          !JSON.stringify([error.message, error.remedy, error.errorCode, String(error.cause)]).includes(token),
      );
    }
  });

  it('are errors where what was asked for is not in them', async () => {
    for (const [route, call] of calls.filter(([{ needs }]) => needs !== undefined)) {
      assert.match((await failure(route, call, '{}')).message, /It has no field "\w+"; it holds nothing\./);
      assert.match((await failure(route, call, '{"status":"UP"}')).message, /it holds "status"\./);
    }
  });

  it('are errors in words where they are nested without end', async () => {
    const deep = (opening: string, closing: string, depth: number): string =>
      `${opening.repeat(depth)}1${closing.repeat(depth)}`;
    for (const [route, call] of calls) {
      const depth = route === jobsRoutes.list ? 200_000 : 20_000;
      const bodies = [
        deep('[', ']', depth),
        deep('{"a":', '}', depth),
        '['.repeat(depth),
        deep('[9007199254740993,', ']', depth),
      ];
      for (const body of [
        ...bodies,
        ...bodies.slice(0, 2).map((inner) => `{"${route.list ?? route.needs?.[0] ?? 'job_id'}":${inner}}`),
      ]) {
        try {
          await call(clientFor(body));
        } catch (error) {
          assert.ok(
            error instanceof AppError && error.kind !== 'internal',
            `${route.operation}: ${String(error).slice(0, 200)}`,
          );
          assert.ok(error.message.length < 1500);
        }
      }
    }
  });
});

describe('lists with entries that cannot be read', () => {
  it('are given without them, and with a word', async () => {
    const good: Readonly<Record<string, string>> = {
      jobs: '{"job_id":1}',
      runs: '{"run_id":1}',
      versions: '{"key":"k"}',
      node_types: '{"node_type_id":"n"}',
      zones: '"z"',
      endpoints: '{"name":"e"}',
    };
    for (const [route, call] of lists) {
      const told: string[] = [];
      const name = route.list ?? '';
      const answer = JSON.stringify(
        await call(
          clientFor(`{"${name}":[${good[name]},{"strange":true},${good[name]},5]}`, 200, (text) => told.push(text)),
        ),
      );
      assert.equal(told.length, 1, route.operation);
      assert.match(
        told[0] ?? '',
        new RegExp(`^${route.operation}: 2 of 4 entries could not be read and are left out\\. ${name}\\[1\\]`),
      );
      assert.equal(answer.split(/"1"|"k"|"n"|"z"|"e"/).length - 1, 2, answer);
    }
  });

  it('are told to the caller itself, too', async () => {
    const told: string[] = [];
    const client = clientFor('{"jobs":[{"job_id":1},5],"runs":[{"run_id":1},5]}');
    const options = { onSkipped: (text: string) => told.push(text.split(':', 1)[0] ?? '') };
    await client.jobs.list(options);
    await client.jobs.listRuns({}, options);
    assert.deepEqual(told, ['jobs/list', 'jobs/runs/list']);
  });

  it('are errors where no entry can be read', async () => {
    for (const [route, call] of lists) await failure(route, call, `{"${route.list}":[{"strange":true}]}`);
  });
});

describe('requests with null fields', () => {
  it('are sent without them where null is not a value', async () => {
    const { fetch, requests } = scriptedFetch(() => ({ status: 200, body: '{"job_id":1,"run_id":1}' }));
    const client = createClient({ baseUrl: 'https://service.example', auth: { kind: 'none' }, fetch, retry: 'fail' });
    const odd = {
      ...settings,
      timeout_seconds: null,
      schedule: null,
      email_notifications: { on_start: null, on_failure: ['a@b.c'] },
    } as never;
    await client.jobs.create(odd);
    assert.deepEqual(JSON.parse(requests[0]?.body ?? ''), {
      ...settings,
      email_notifications: { on_failure: ['a@b.c'] },
    });
    await client.jobs.runNow({ job_id: '1', jar_params: null, idempotency_token: 'once' } as never);
    assert.deepEqual(JSON.parse(requests[1]?.body ?? ''), { job_id: 1, idempotency_token: 'once' });
    await assert.rejects(
      client.jobs.create({ name: 'x', existing_cluster_id: null, spark_python_task: null } as never),
      /jobs\/create was not sent\./,
    );
    assert.equal(requests.length, 2);
  });

  it('keep what null means in a schema of a tool', async () => {
    const { fetch, requests } = scriptedFetch(() => ({ status: 200, body: '{"choices":[]}' }));
    const client = createClient({ baseUrl: 'https://service.example', auth: { kind: 'none' }, fetch, retry: 'fail' });
    const tools = [
      {
        type: 'function' as const,
        function: {
          name: 'f',
          description: 'd',
          parameters: { type: 'object', properties: { a: { default: null, enum: [null, 1] } } },
        },
      },
    ];
    await client.inference.chat('e', { messages, tools });
    assert.deepEqual((JSON.parse(requests[0]?.body ?? '') as { tools: unknown }).tools, tools);
  });

  it('are no part of an answer where they say themselves that they are a page, in any letters', async () => {
    for (const [type, kind] of [
      ['application/json', 'cutOff'],
      ['text/plain', 'cutOff'],
      ['text/html; charset=utf-8', 'protocol'],
      ['Text/HTML', 'protocol'],
    ] as const) {
      const { fetch } = scriptedFetch(() => ({ status: 200, body: ' {"jobs":[', headers: { 'content-type': type } }));
      const client = createClient({
        baseUrl: 'https://a.example',
        auth: { kind: 'none' },
        fetch,
        retry: 'fail',
        clock: hastyClock,
      });
      await assert.rejects(client.jobs.listRuns(), (error) => {
        assert.ok(error instanceof AppError);
        assert.deepEqual([error.kind, error.retryable], [kind, kind === 'cutOff'], type);
        return true;
      });
    }
  });
});
