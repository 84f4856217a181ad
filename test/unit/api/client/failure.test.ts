import assert from 'node:assert/strict';
import { Caller } from '../../../../src/api/client/caller.ts';
import {
  cleanText,
  failureOf,
  networkFailure,
  readErrorBody,
  reportedError,
} from '../../../../src/api/client/failure.ts';
import { notDone, notKnown } from '../../../../src/api/client/outcome.ts';
import { clusterRoutes } from '../../../../src/api/schema/clusterRoutes.ts';
import { inferenceRoutes } from '../../../../src/api/schema/inference/routes.ts';
import { jobsRoutes } from '../../../../src/api/schema/jobs/routes.ts';
import type { Route } from '../../../../src/api/schema/route.ts';
import { describeError } from '../../../../src/shared/errors.ts';
import { retryAfterInMs } from '../../../../src/shared/http/retryAfter.ts';
import { hastyClock } from '../../../support/hastyClock.ts';
import { scriptedFetch } from '../../../support/scriptedFetch.ts';
import './approvedFailures.part.ts';

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
      ['{"errorCode":"B","code":"C","type":"D","error":"E","message":"m"}', 'B', 'm'],
      ['{"code":"C","type":"D","error":"E","message":"m"}', 'C', 'm'],
      ['{"type":"D","error":"E","message":"m"}', 'D', 'm'],
      ['{"error":"E","error_description":"d"}', undefined, 'd'],
      ['{"message":" ","error_description":"d","detail":"t","msg":"g","error":"E","title":"T"}', undefined, 'd'],
      ['{"detail":"t","msg":"g","error":"E","title":"T"}', undefined, 't'],
      ['{"msg":"g","error":"E","title":"T"}', undefined, 'g'],
      ['{"error":"E","title":"T"}', undefined, 'E'],
      ['{"title":" T "}', undefined, 'T'],
      ['{"error":{},"message":"outer"}', undefined, 'outer'],
      ['{"detail":{"msg":"below"}}', undefined, 'below'],
      ['5', undefined, '5'],
      ['{"error":"only text"}', undefined, 'only text'],
      ['{"error":"Not Found","message":"no route","status":404}', 'Not Found', 'no route'],
      ['{"message":"just a message"}', undefined, 'just a message'],
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

  it('says the operation, the cause, what was not done and the next step', () => {
    const texts: [status: number, body: string, text: string][] = [
      [
        400,
        '{"error_code":"INVALID_PARAMETER_VALUE","message":"python_params must be a list"}',
        'jobs/run-now: the server refused the request (HTTP 400, INVALID_PARAMETER_VALUE) and said: ' +
          'python_params must be a list. The run was not started. Correct the value that the message names.',
      ],
      [
        401,
        '',
        'jobs/run-now: the server did not accept the credentials (HTTP 401). The run was not started. Check ' +
          'the token of the profile: it may be mistyped, expired or made for another workspace.',
      ],
      [
        403,
        '{"message":"no"}',
        'jobs/run-now: the server does not allow this to the user of this profile (HTTP 403) and said: no. ' +
          "The run was not started. Ask the workspace's administrator for the permission, or use a profile " +
          'whose user has it.',
      ],
      [
        404,
        '<html><title>Not Found</title>',
        'jobs/run-now: the server does not have this (HTTP 404) and said: web page "Not Found". The run was ' +
          'not started. Check the base URL of the profile: this path does not exist there.',
      ],
      [
        404,
        '{"error_code":"RESOURCE_DOES_NOT_EXIST","message":"Job 9007199254740993 does not exist."}',
        'jobs/run-now: the server does not have this (HTTP 404, RESOURCE_DOES_NOT_EXIST) and said: Job ' +
          '9007199254740993 does not exist. The run was not started. Check the id or name; it may have been ' +
          'deleted.',
      ],
      [
        429,
        '{}',
        'jobs/run-now: the server takes no more requests at the moment (HTTP 429). The run was not started. Wait a little and try again.',
      ],
      [
        500,
        '',
        'jobs/run-now: the server failed (HTTP 500). It is not known whether the run was started. The server ' +
          'has a problem. Try again later; nothing is wrong with the request itself.',
      ],
    ];
    for (const [status, body, text] of texts) assert.equal(describeError(failureOf({ ...answer, status, body })), text);
    assert.equal(
      failureOf({ ...answer, operation: 'jobs/list', mutates: false, status: 500, body: '' }).message,
      'jobs/list: the server failed (HTTP 500). The jobs were not read.',
    );
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

  it('says of every operation that changes something that its outcome is not known, and of no other', async () => {
    for (const route of [jobsRoutes, clusterRoutes, inferenceRoutes].flatMap(
      (each) => Object.values(each) as Route[],
    )) {
      const { operation, mutates } = route;
      const words = mutates ? notKnown(operation) : notDone(operation);
      assert.doesNotMatch(words, /The request was/, `${operation} has no words of its own`);
      for (const reply of [
        { status: 500, body: '' },
        new Error('broken'),
        Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
      ]) {
        const caller = new Caller({
          baseUrl: 'https://service.example',
          auth: { kind: 'none' },
          fetch: scriptedFetch(() => reply).fetch,
          retry: 'fail',
          clock: hastyClock,
        });
        await assert.rejects(
          caller.deliver(route, { route, url: `https://service.example${route.path}` }),
          (error: Error) =>
            error.message.includes(words) &&
            !error.message.includes(mutates ? notDone(operation) : notKnown(operation)),
        );
      }
    }
  });

  it('searches a long text for credentials no longer than a message can be, and cuts through none', () => {
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

  it('cuts before the first of several credentials that the cut would go through', () => {
    const secrets = ['user:canary-password', 'canary-password'];
    // What stands before the cut is white space, of which nothing is shown.
    for (const given of [secrets, secrets.toReversed()])
      assert.equal(cleanText(`${' '.repeat(19_990)}user:canary-password${'x'.repeat(9)}`, given), '');
  });

  it("shows a server's text without what could mislead, and not without end", () => {
    const { message } = failureOf({
      ...answer,
      status: 400,
      body: JSON.stringify({ message: `a\u202eb\u0007${'x'.repeat(5000)}` }),
    });
    assert.ok(message.includes('abxxx') && message.length < 1300);
  });
});

describe('what a failure means', () => {
  it('which may be tried again, and when', () => {
    const retryable = (status: number, body = ''): boolean => failureOf({ ...answer, status, body }).retryable;
    assert.deepEqual(
      [400, 401, 403, 404, 408, 409, 413, 429, 499, 500, 503, 599].filter((status) => retryable(status)),
      [429, 500, 503, 599],
    );
    assert.equal(failureOf({ ...answer, status: 503, body: '', retryAfter: '7' }).retryAfter, '7');
    assert.equal(
      failureOf({ ...answer, status: 499, body: '' }).message,
      'jobs/run-now: the server refused the request (HTTP 499). The run was not started.',
    );
  });

  it('a model server that failed is told apart, and says itself what to do', () => {
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

  it('an error with a status of success has its kind by its code', () => {
    const kind = (value: unknown): string | undefined =>
      reportedError({ operation: 'jobs/get', status: 200, secrets: [] }, value)?.kind;
    assert.deepEqual(
      ['UNAUTHENTICATED', 'PERMISSION_DENIED', 'RESOURCE_DOES_NOT_EXIST', 'OTHER', 'toString'].map((code) =>
        kind({ error_code: code }),
      ),
      ['unauthenticated', 'forbidden', 'notFound', 'rejected', 'rejected'],
    );
    assert.deepEqual([{ error: 'x' }, { error: {} }, { message: 'x' }].map(kind), ['rejected', 'rejected', 'rejected']);
    assert.deepEqual([{}, [], null, 'x', { error: '' }, { error_code: '' }].map(kind), [
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('a connection that fails is told by the code that lies at its ground', () => {
    const nested = (code: string, depth: number): Error =>
      depth === 0 ? Object.assign(new Error('x'), { code }) : new Error('outer', { cause: nested(code, depth - 1) });
    const told = (error: unknown, mutates = true): unknown[] => {
      const { kind, retryable, message } = networkFailure(error, {
        operation: 'jobs/create',
        mutates,
        url: 'https://host.example:1/x',
        secrets: ['s3cr3t'],
      });
      return [kind, retryable, message.includes('It is not known whether')];
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
      'CERT_HAS_EXPIRED',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'ERR_SSL_WRONG_VERSION_NUMBER',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'EPROTO',
      'HOSTNAME_MISMATCH',
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

  it('a text of a server is shown up to a thousand characters, without what is dangerous in it', () => {
    assert.equal(cleanText('x'.repeat(1000)), 'x'.repeat(1000));
    assert.equal(cleanText('x'.repeat(1001)), `${'x'.repeat(1000)}…`);
    assert.equal(cleanText(' a\x00\x08\x0b\x1f\x7f\u200e\u200f\u202a\u202e\u2066\u2069\tb\n '), 'a\tb');
    assert.equal(cleanText('token=s3cr3t-value and canary', ['canary']), 'token=••• and •••');
    // What stands beyond the first 20,000 characters is not searched, and not shown either.
    assert.equal(cleanText(`${' '.repeat(20_000)}behind`), '');
  });
});

describe('retryAfterInMs', () => {
  it('reads seconds and dates, and nothing else', () => {
    const now = Date.UTC(2026, 10, 20, 12, 0, 0);
    const cases: [header: string | undefined, expected: number | undefined][] = [
      ['120', 120_000],
      [' 1.5 ', 1500],
      ['0', undefined],
      ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
      ['Friday, 20-Nov-26 12:00:30 GMT', 30_000],
      ['Fri, 20 Nov 2026 11:59:30 GMT', undefined],
      ['-5', undefined],
      ['soon', undefined],
      ['2026-11-20T12:00:30Z', undefined],
      ['', undefined],
      [undefined, undefined],
    ];
    for (const [header, expected] of cases) assert.equal(retryAfterInMs(header, now), expected, header);
  });
});
