import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import { checkDeclared, readBody, requestLimitBytes } from '../../../../src/service/http/body.ts';
import { refusalOf } from './refusalOf.ts';

describe('the body of a request', () => {
  const read = (...chunks: Uint8Array[]): Promise<string> =>
    readBody(Readable.from(chunks, { objectMode: false }) as unknown as IncomingMessage);
  const refusal = (work: Promise<string>): Promise<[number, string]> =>
    work.then(
      () => assert.fail('it was taken'),
      (error: unknown) => {
        assert.ok(error instanceof ApiError);
        return [error.status, error.errorCode ?? ''];
      },
    );

  it('may be as large as the limit, in however many pieces, and no larger', async () => {
    const half = Buffer.alloc(requestLimitBytes / 2, 'x');
    assert.equal((await read(half, half)).length, requestLimitBytes);
    assert.equal((await refusal(read(half, half, Buffer.from('x'))))[0], 413);
  });

  it('is text in UTF-8, whose characters may be cut between two pieces, and nothing else', async () => {
    const euro = Buffer.from('{"a":"€"}');
    assert.equal(await read(euro.subarray(0, 7), euro.subarray(7)), '{"a":"€"}');
    assert.deepEqual(await refusal(read(Buffer.from([0x22, 0xff, 0x22]))), [400, 'MALFORMED_REQUEST']);
    assert.equal(await read(), '');
  });

  it('that breaks off is refused, and not taken for all there is', async () => {
    const request = new Readable({ read: () => undefined });
    const reading = refusal(readBody(request as unknown as IncomingMessage));
    request.push('{"a":1}');
    await new Promise((resolve) => setImmediate(resolve));
    request.destroy();
    assert.deepEqual(await reading, [400, 'MALFORMED_REQUEST']);
  });

  it('is declared no larger than 10 MB and not compressed', () => {
    const check = (headers: IncomingHttpHeaders): void => checkDeclared({ headers } as IncomingMessage);
    check({});
    check({ 'content-length': String(10 * 1024 * 1024), 'content-encoding': 'identity' });
    const large = refusalOf(() => check({ 'content-length': String(10 * 1024 * 1024 + 1) }));
    assert.deepEqual([large.status, large.errorCode], [413, 'MAX_REQUEST_SIZE_EXCEEDED']);
    assert.match(large.message, /nothing was done\. Pass large values through files\./);
    const packed = refusalOf(() => check({ 'content-encoding': 'gzip' }));
    assert.deepEqual([packed.status, packed.errorCode], [415, 'MALFORMED_REQUEST']);
    assert.match(packed.message, /encoded with gzip.*Send it without Content-Encoding\./);
  });
});
