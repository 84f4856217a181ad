import assert from 'node:assert/strict';
import type { ApiError } from '../../../../src/service/base/apiError.ts';
import { parseObject, queryFields, shortenedValue } from '../../../../src/service/http/validateRequest.ts';

describe('the parts of a request', () => {
  it('are read from the address: truth values, whole numbers for pages, ids as they are', () => {
    const query = 'a=true&b=FALSE&c=untrue&d=falsely&limit=25&offset=-1&job_id=007&x=&__proto__=1&run_id=12';
    assert.deepEqual(queryFields(new URLSearchParams(query)), {
      a: true,
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
      [`{"a":${'9'.repeat(101)}}`, 'INVALID_PARAMETER_VALUE', /more than 100 digits/],
      [`{"a":${'0'.repeat(101)}}`, 'INVALID_PARAMETER_VALUE', /more than 100 digits/],
      [`{"a":1${']'.repeat(200)}${'['.repeat(20_000)}`, 'MALFORMED_REQUEST', /is not JSON/],
      [`{"a":${'x'.repeat(200_001)}${'['.repeat(20_000)}`, 'MALFORMED_REQUEST', /is not JSON/],
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
});
