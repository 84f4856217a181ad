import assert from 'node:assert/strict';
import {
  cleanText,
  failureOf,
  networkFailure,
  readErrorBody,
  reportedError,
} from '../../../../src/api/client/failure.ts';
import { createClient, type Client } from '../../../../src/api/client/index.ts';
import { notDone, notKnown } from '../../../../src/api/client/outcome.ts';
import { clusterRoutes } from '../../../../src/api/schema/clusterRoutes.ts';
import { inferenceRoutes } from '../../../../src/api/schema/inference/routes.ts';
import { jobsRoutes } from '../../../../src/api/schema/jobs/routes.ts';
import type { Route } from '../../../../src/api/schema/route.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { hastyClock } from '../../../support/hastyClock.ts';
import { scriptedFetch } from '../../../support/scriptedFetch.ts';

const answer = { operation: 'jobs/run-now', mutates: true, contentType: 'application/json', secrets: [] };

describe('failureOf', () => {
  it('reads every form of error body', () => {
    const forms: [body: string, errorCode: string | undefined, message: string | undefined][] = [
      [
        '{"error_code":"INVALID_PARAMETER_VALUE","message":"Job 5 does not exist."}',
        'INVALID_PARAMETER_VALUE',
        'Job 5 does not exist.',
      ],
      ['{"error":{"code":"x","message":"inner"}}', 'x', 'inner'],
      ['{"error":{"type":"invalid_request_error","message":"inner"},"error_code":"OUTER"}', 'OUTER', 'inner'],
      ['{"error":{"code":"model_not_found","type":"invalid_request_error","message":"m"}}', 'model_not_found', 'm'],
      ['{"error_code":"A","errorCode":"B","code":"C","type":"D","message":"m"}', 'A', 'm'],
      ['{"type":"D","error":"E","message":"m"}', 'D', 'm'],
      ['{"error":"E","error_description":"d"}', undefined, 'd'],
      ['{"message":" ","error_description":"d","detail":"t","msg":"g","error":"E","title":"T"}', undefined, 'd'],
      ['{"detail":"t","msg":"g","error":"E","title":"T"}', undefined, 't'],
      ['{"error":"E","title":"T"}', undefined, 'E'],
      ['{"title":" T "}', undefined, 'T'],
      ['{"error":{},"message":"outer"}', undefined, 'outer'],
      ['{"detail":{"msg":"below"}}', undefined, 'below'],
      ['5', undefined, '5'],
      ['{"error":"Not Found","message":"no route","status":404}', 'Not Found', 'no route'],
      ['{"detail":[{"loc":["body"],"msg":"field required"}]}', undefined, 'field required'],
      ['{"detail":"Not Found"}', undefined, 'Not Found'],
      ['[{"error":{"code":404,"message":"in a list"}}]', '404', 'in a list'],
      ['"a string"', undefined, 'a string'],
      ['plain text', undefined, 'plain text'],
      ['<html><head><title>502 Bad\n Gateway</title></head></html>', undefined, 'web page "502 Bad Gateway"'],
      ['<!DOCTYPE html><body>', undefined, 'a web page'],
      ['{"cut":', undefined, '{"cut":'],
      ['{}', undefined, undefined],
      ['', undefined, undefined],
    ];
    for (const [body, errorCode, message] of forms)
      assert.deepEqual(
        { ...{ errorCode: undefined, message: undefined }, ...readErrorBody(body, '') },
        { errorCode, message },
        body,
      );
  });

  it('maps status and error code to a kind', () => {
    const kinds: [status: number, code: string, kind: string][] = [
      [400, 'RESOURCE_DOES_NOT_EXIST', 'notFound'],
      [400, 'UNAUTHENTICATED', 'unauthenticated'],
      [400, 'X', 'rejected'],
      [401, 'X', 'unauthenticated'],
      [403, 'X', 'forbidden'],
      [404, 'X', 'notFound'],
      [408, 'X', 'timeout'],
      [409, 'X', 'rejected'],
      [413, 'X', 'tooLarge'],
      [429, 'X', 'rateLimited'],
      [500, 'X', 'server'],
      [599, 'X', 'server'],
      [304, 'X', 'protocol'],
    ];
    for (const [status, code, kind] of kinds)
      assert.equal(
        failureOf({ ...answer, status, body: JSON.stringify({ error_code: code, message: 'x' }) }).kind,
        kind,
        `${status} ${code}`,
      );
    for (const [message, kind] of [
      ['Job 7 does not exist.', 'notFound'],
      ['Run 9007199254740993 does not exist.', 'notFound'],
      ['The cluster of Job 7 does not exist.', 'rejected'],
      ['Job cluster does not exist.', 'rejected'],
    ] as const) {
      const body = JSON.stringify({ error_code: 'INVALID_PARAMETER_VALUE', message });
      assert.equal(failureOf({ ...answer, status: 400, body }).kind, kind, message);
      assert.equal(failureOf({ ...answer, status: 500, body }).kind, 'server', message);
    }
  });

  it('never shows part of a credential of a long error text', () => {
    const secret = 'canary-secret';
    for (const before of [990, 995, 19_990, 19_995, 19_999, 20_000, 500_000]) {
      // The second is one credential, which is left out as a whole: what follows it is shown.
      for (const beginning of ['a://b:'.repeat(400_000), `bearer ${'a'.repeat(before - 8)} `]) {
        const { message } = failureOf({
          ...answer,
          status: 400,
          secrets: [secret],
          body: JSON.stringify({ message: `${beginning.slice(0, before)}${secret}${'x'.repeat(30_000)}` }),
        });
        assert.doesNotMatch(message, /c(?:a(?:n|$)|…)|canar/);
      }
    }
  });

  it('cuts a text before a credential that would be split', () => {
    const secrets = ['user:canary-password', 'canary-password'];
    for (const given of [secrets, secrets.toReversed()])
      assert.equal(cleanText(`${' '.repeat(19_990)}user:canary-password${'x'.repeat(9)}`, given), '');
  });
});

describe('Failures', () => {
  it('are retryable for 429 and 5xx only', () => {
    const retryable = (status: number, body = ''): boolean => failureOf({ ...answer, status, body }).retryable;
    assert.deepEqual(
      [400, 401, 403, 404, 408, 409, 413, 429, 499, 500, 503, 599].filter((status) => retryable(status)),
      [429, 500, 503, 599],
    );
    assert.equal(failureOf({ ...answer, status: 503, body: '', retryAfter: '7' }).retryAfter, '7');
  });

  it('mark errors of the model server as upstream', () => {
    const of = (fields: object): unknown[] => {
      const { isUpstream, retryable, remedy } = failureOf({
        ...answer,
        status: 502,
        body: JSON.stringify({ error_code: 'X', message: 'Start it.', ...fields }),
      });
      return [isUpstream, retryable, remedy === undefined];
    };
    assert.deepEqual(of({ source: 'upstream', retryable: true }), [true, true, true]);
    assert.deepEqual(of({ source: 'upstream', retryable: false }), [true, false, true]);
    assert.deepEqual(of({ source: 'upstream' }), [true, false, true]);
    assert.deepEqual(of({ source: 'gateway', retryable: false }), [false, true, false]);
    assert.deepEqual(of({}), [false, true, false]);
  });

  it('take the kind of a 200 response from its error code', () => {
    const kind = (value: unknown): string | undefined =>
      reportedError({ operation: 'jobs/get', status: 200, secrets: [] }, value)?.kind;
    assert.deepEqual(
      ['UNAUTHENTICATED', 'PERMISSION_DENIED', 'RESOURCE_DOES_NOT_EXIST', 'OTHER', 'toString'].map((code) =>
        kind({ error_code: code }),
      ),
      ['unauthenticated', 'forbidden', 'notFound', 'rejected', 'rejected'],
    );
    assert.deepEqual([{ error: 'x' }, { error: {} }, { message: 'x' }].map(kind), ['rejected', 'rejected', 'rejected']);
    for (const none of [{}, [], null, 'x', { error: '' }, { error_code: '' }]) assert.equal(kind(none), undefined);
  });

  it('take the kind of a network error from its root cause', () => {
    const nested = (code: string, depth: number): Error =>
      depth === 0 ? Object.assign(new Error('x'), { code }) : new Error('outer', { cause: nested(code, depth - 1) });
    const told = (error: unknown, mutates = true): unknown[] => {
      const { kind, retryable, message } = networkFailure(error, {
        operation: 'jobs/create',
        mutates,
        url: 'https://host.example:1/x',
        secrets: ['s3cr3t'],
      });
      return [kind, retryable, message.includes('may or may not')];
    };
    for (const code of [
      'ENOTFOUND',
      'EAI_AGAIN',
      'EAI_NODATA',
      'ECONNREFUSED',
      'EHOSTUNREACH',
      'ENETUNREACH',
      'ENETDOWN',
    ])
      assert.deepEqual(told(nested(code, 2)), ['network', code !== 'ENOTFOUND', false], code);
    for (const code of ['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'])
      assert.deepEqual(told(nested(code, 7)), ['timeout', true, false], code);
    for (const code of [
      ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER'],
      ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'EPROTO'],
      ...['HOSTNAME_MISMATCH'],
    ]) {
      assert.deepEqual(told(nested(code, 1)), ['tls', false, false], code);
    }
    for (const error of [nested('ECONNRESET', 1), new Error('broke s3cr3t'), 'text', undefined]) {
      assert.deepEqual(told(error), ['network', true, true]);
      assert.deepEqual(told(error, false), ['network', true, false]);
    }
    assert.deepEqual(told(Object.assign(new AggregateError([nested('ECONNREFUSED', 0)], 'all'), {})), [
      'network',
      true,
      false,
    ]);
    assert.match(
      networkFailure(new Error('broke s3cr3t'), {
        operation: 'jobs/list',
        mutates: false,
        url: 'https://h',
        secrets: ['s3cr3t'],
      }).message,
      /\(broke •••\)/,
    );
  });

  it('show at most 1,000 characters of server text, without control characters and secrets', () => {
    assert.equal(cleanText('x'.repeat(1000)), 'x'.repeat(1000));
    assert.equal(cleanText('x'.repeat(1001)), `${'x'.repeat(1000)}…`);
    assert.equal(cleanText(' a\x00\x08\x0b\x1f\x7f\u200e\u200f\u202a\u202e\u2066\u2069\tb\n '), 'a\tb');
    assert.equal(cleanText('token=s3cr3t-value and canary', ['canary']), 'token=••• and •••');
    // What stands beyond the first 20,000 characters is not searched, and not shown either.
    assert.equal(cleanText(`${' '.repeat(20_000)}behind`), '');
  });
});

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

function clientFor(
  body: string,
  status = 200,
  onSkipped?: (text: string) => void,
  headers?: Record<string, string>,
): Client {
  const { fetch } = scriptedFetch(() => ({ status, body, headers }));
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

describe('Invalid responses', () => {
  it('fail and name what was received', async () => {
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

  it('fail if the body is empty, unless the operation has none', async () => {
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

  it('report the error that the server sent with a status of success', async () => {
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

  it('fail if the list has another name and are empty if it is missing', async () => {
    for (const [route, call] of lists) {
      for (const body of ['{"status":"UP"}', '{"items":[]}', '{"data":[],"has_more":false}', '{"Jobs":[]}']) {
        const error = await failure(route, call, body);
        assert.match(error.message, new RegExp(`It has no list "${route.list}"; its fields are "`), error.message);
      }
      for (const body of ['{}', '{"has_more":false}', `{"${route.list}":null}`, `{"${route.list}":[]}`])
        await call(clientFor(body));
      assert.match((await failure(route, call, `{"${route.list}":{"a":1}}`)).message, /must be a list, not an object/);
    }
  });

  it('fail if a required field is missing', async () => {
    for (const [route, call] of calls.filter(([{ needs }]) => needs !== undefined)) {
      assert.match((await failure(route, call, '{}')).message, /It has no field "\w+"; its fields are nothing\./);
      assert.match((await failure(route, call, '{"status":"UP"}')).message, /its fields are "status"\./);
    }
  });
});

describe('Lists with unreadable entries', () => {
  it('leave those entries out and report them', async () => {
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

  it('report them to the caller of the method', async () => {
    const told: string[] = [];
    const client = clientFor('{"jobs":[{"job_id":1},5],"runs":[{"run_id":1},5]}');
    const options = { onSkipped: (text: string) => told.push(text.split(':', 1)[0] ?? '') };
    await client.jobs.list(options);
    await client.jobs.listRuns({}, options);
    assert.deepEqual(told, ['jobs/list', 'jobs/runs/list']);
  });
});

describe('Null fields and HTML pages', () => {
  it('omits null fields from requests', async () => {
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

  it('does not retry a truncated body that is declared as HTML', async () => {
    for (const [type, kind] of [
      ['application/json', 'cutOff'],
      ['text/plain', 'cutOff'],
      ['text/html; charset=utf-8', 'protocol'],
      ['Text/HTML', 'protocol'],
    ] as const) {
      const client = clientFor(' {"jobs":[', 200, undefined, { 'content-type': type });
      await assert.rejects(client.jobs.listRuns(), { kind, retryable: kind === 'cutOff' }, type);
    }
  });
});
