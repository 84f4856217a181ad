import assert from 'node:assert/strict';
import * as z from 'zod';
import type { ApiError } from '../../../../src/service/base/apiError.ts';
import {
  decodeRequest,
  parseObject,
  queryFields,
  shortenedValue,
} from '../../../../src/service/http/validateRequest.ts';
import { refusalOf } from './refusalOf.ts';

describe('the parts of a request', () => {
  it('are read from the address: truth values, whole numbers for pages, ids as they are', () => {
    const query = 'a=true&A=TRUE&b=FALSE&c=untrue&d=falsely&limit=25&offset=-1&job_id=007&x=&__proto__=1&run_id=12';
    assert.deepEqual(queryFields(new URLSearchParams(query)), {
      a: true,
      A: true,
      b: false,
      c: 'untrue',
      d: 'falsely',
      limit: 25,
      offset: -1,
      job_id: '007',
      run_id: '12',
    });
    assert.deepEqual(queryFields(new URLSearchParams('limit=1e3&offset=9999999999')), {
      limit: '1e3',
      offset: '9999999999',
    });
    assert.deepEqual(
      [shortenedValue('x'.repeat(100)), shortenedValue('x'.repeat(101))],
      ['x'.repeat(100), `${'x'.repeat(100)}…`],
    );
  });

  it('are one JSON object of not too many parts', async () => {
    assert.deepEqual(
      [await parseObject(''), await parseObject(' \n'), await parseObject('{"a":[1]}')],
      [{}, {}, { a: [1] }],
    );
    const list = (length: number): string => JSON.stringify({ a: Array.from({ length }, () => 1) });
    const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    await parseObject(list(9999));
    await parseObject(`{"a":[${'[[]],{"b":{}},'.repeat(1000)}0]}`);
    await parseObject(
      `{${Array.from({ length: 9000 }, (_, index) => `"k${index}" : ${'0123456789'.repeat(10)}`.replace(': 0', ': 9')).join(',')}}`,
    );
    await parseObject(nested(100));
    await parseObject(`{"a":${'1'.repeat(100)},"b":"${'[,'.repeat(20_000)}"}`);
    const refused: [text: string, code: string, words: RegExp][] = [
      ['{', 'MALFORMED_REQUEST', /is not JSON: .* Nothing was done\./],
      ['[]', 'MALFORMED_REQUEST', /is not a JSON object/],
      ['null', 'MALFORMED_REQUEST', /is not a JSON object/],
      [`{"a":${'""'.repeat(200_001)}`, 'INVALID_PARAMETER_VALUE', /more than 10,000 values/],
      [`{"a":${'9'.repeat(101)}}`, 'INVALID_PARAMETER_VALUE', /more than 100 digits/],
      [`{"a":${'0'.repeat(101)}}`, 'INVALID_PARAMETER_VALUE', /more than 100 digits/],
      [`{"a":1${']'.repeat(200)}`, 'MALFORMED_REQUEST', /is not JSON/],
      // No JSON, so that nothing is looked for behind it.
      [`{"a":${'x'.repeat(200_100)}${'['.repeat(20_000)}`, 'MALFORMED_REQUEST', /is not JSON/],
      [`{"a":${'9 '.repeat(200_100)}${'['.repeat(20_000)}`, 'MALFORMED_REQUEST', /is not JSON/],
      ['"a"', 'MALFORMED_REQUEST', /is not a JSON object/],
      [list(10_000), 'INVALID_PARAMETER_VALUE', /more than 10,000 values.*Pass long lists through a file/],
      [nested(101), 'INVALID_PARAMETER_VALUE', /nested more than 100 levels deep/],
      [`{"a":${'1'.repeat(101)}}`, 'INVALID_PARAMETER_VALUE', /more than 100 digits.*Send it as text/],
    ];
    for (const [text, code, words] of refused) {
      const { status, errorCode, message } = await parseObject(text).then(
        () => assert.fail(text.slice(0, 20)),
        (error: unknown) => error as ApiError,
      );
      assert.deepEqual([status, errorCode], [400, code], text.slice(0, 20));
      assert.match(message, words);
    }
  });

  it('that are no JSON keep what the parser said, for the log', async () => {
    const error = await parseObject('{').then(
      () => assert.fail('it was taken'),
      (reason: unknown) => reason as ApiError,
    );
    assert.ok(error.cause instanceof Error);
    assert.ok(error.message.includes(error.cause.message));
  });

  it('let other requests have their turn before a long one is read', async () => {
    const order: string[] = [];
    const text = JSON.stringify({ a: 'x'.repeat(2_000_000) });
    setImmediate(() => order.push('other'));
    await parseObject(text).then(() => order.push('long'));
    assert.deepEqual(order, ['other', 'long']);
  });

  it('are what the schema makes of them, and of those that break rules the first ten are told', () => {
    const names = Array.from({ length: 12 }, (_, index) => `f${index}`);
    const schema = z.object(Object.fromEntries(names.map((name) => [name, z.number()])));
    const values = Object.fromEntries(names.map((name, index) => [name, index]));
    assert.deepEqual(decodeRequest(schema, values), values);
    const { status, errorCode, message } = refusalOf(() => decodeRequest(schema, {}));
    assert.deepEqual([status, errorCode], [400, 'INVALID_PARAMETER_VALUE']);
    assert.match(message, /^f0: .* f9: .* And 2 more\. Nothing was done\.$/);
  });
});
