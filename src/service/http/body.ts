import type { IncomingMessage } from 'node:http';
import { ApiError } from '../base/apiError.ts';

/** Maximum size of a request (Jobs API 2.0): 10 MB. */
export const requestLimitBytes = 10 * 1024 * 1024;

function tooLarge(): ApiError {
  return new ApiError(
    413,
    'MAX_REQUEST_SIZE_EXCEEDED',
    'The request is larger than 10 MB; nothing was done. Pass large values through files.',
  );
}

/**
 * Checks the headers before the body is read.
 * @throws ApiError 413 if the declared size is too large, 415 if the body is compressed
 */
export function checkDeclared(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    throw new ApiError(
      415,
      'MALFORMED_REQUEST',
      `The request is encoded with ${encoding}, which is not supported; nothing was done. Send it without Content-Encoding.`,
    );
  if (Number(request.headers['content-length'] ?? 0) > requestLimitBytes) throw tooLarge();
}

/**
 * Reads the whole body as text.
 * @throws ApiError 413 as soon as it is too large; 400 if it is not UTF-8 or is cut off
 */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    // `for await` would destroy the socket before the error is sent.
    await new Promise<void>((resolve, reject) => {
      request.on('data', (chunk: Buffer) => {
        sizeBytes += chunk.length;
        if (sizeBytes > requestLimitBytes) reject(tooLarge());
        else chunks.push(chunk);
      });
      request.once('end', resolve);
      request.once('error', reject);
      request.once('close', () => reject(new Error('the connection closed')));
    });
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(
      400,
      'MALFORMED_REQUEST',
      'The request broke off before it was complete; nothing was done. Send it again.',
      { cause: error },
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new ApiError(400, 'MALFORMED_REQUEST', 'The request is not valid UTF-8; nothing was done.', { cause: error });
  }
}
