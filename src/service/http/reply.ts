import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { stringifyJson } from '../../shared/json.ts';
import { errorBody, type ApiError } from '../base/apiError.ts';

const commonHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

const jsonType = { 'content-type': 'application/json; charset=utf-8' };

/** JSON that is already text or bytes: stored settings are sent as they are. */
export class RawJson {
  readonly text: string | Uint8Array;
  constructor(text: string | Uint8Array) {
    this.text = text;
  }
}

/** JSON that is produced in pieces while it is sent, so that nobody holds or waits for the whole. */
export class JsonPieces {
  readonly pieces: Iterable<string | Uint8Array>;
  constructor(pieces: Iterable<string | Uint8Array>) {
    this.pieces = pieces;
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  if (value instanceof JsonPieces) sendPieces(response, value.pieces, jsonType);
  else
    sendReply(response, status, value instanceof RawJson ? value.text : stringifyJson(value ?? {}), {
      ...jsonType,
      ...headers,
    });
}

function sendReply(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string>,
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHead(status, { ...commonHeaders, ...headers, 'content-length': String(bytes.length) });
  if (bytes.length <= pieceBytes) response.end(bytes);
  // Encrypted as a whole, a long response would block all others.
  else pipeline(piecesOf(bytes), response, () => undefined);
}

/** Sends pieces, and lets other requests run in between. A response of one piece is sent like any other, with its length. */
export function sendPieces(
  response: ServerResponse,
  pieces: Iterable<string | Uint8Array>,
  headers: Record<string, string>,
): void {
  const gathered = gather(pieces);
  const first = gathered.next();
  const second = gathered.next();
  if (second.done === true) {
    sendReply(response, 200, first.done === true ? '' : first.value, headers);
    return;
  }
  response.writeHead(200, { ...commonHeaders, ...headers });
  pipeline(
    async function* all() {
      yield first.value;
      yield second.value;
      for (const piece of gathered) {
        await nextTurn();
        yield piece;
      }
    },
    response,
    () => undefined,
  );
}

/** Joins pieces until they are large enough to send. */
function* gather(pieces: Iterable<string | Uint8Array>): Generator<Uint8Array, undefined> {
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    gathered.push(Buffer.from(piece));
    bytes += piece.length;
    if (bytes < pieceBytes / 2) continue;
    yield Buffer.concat(gathered);
    [gathered, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(gathered);
  return undefined;
}

const pieceBytes = 512 * 1024;

/** Yields pieces until the reader disconnects. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** How long a rejected sender may continue, so that it can read the reason: closing at once would reset the connection. */
const drainInMs = 2000;

/**
 * Sends the whole response at once but ends it only after the sender has finished: Node closes the connection at the end of a response, and
 * a client that is still writing (fetch, urllib) would see a broken pipe instead of the error.
 */
function refuseUnread(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  bytes: Buffer,
  headers: Record<string, string>,
): void {
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), drainInMs);
  socket.once('close', () => clearTimeout(timer));
  request.on('error', () => undefined).once('close', () => response.end());
  request.resume();
  response.writeHead(status, {
    ...commonHeaders,
    ...jsonType,
    ...headers,
    connection: 'close',
    'content-length': String(bytes.length),
  });
  response.write(bytes);
}

/**
 * Sends an error. A body that was not read is discarded, and the connection is closed.
 * @param forOpenAi whether to use the form of the OpenAI-style routes too
 */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: ApiError,
  forOpenAi = false,
): void {
  const headers: Record<string, string> = {};
  if (error.retryAfterInSeconds !== undefined) headers['retry-after'] = String(error.retryAfterInSeconds);
  // Otherwise clients of the OpenAI-style routes would retry automatically.
  if (error.upstream?.retryable === false) headers['x-should-retry'] = 'false';
  if (error.allowedMethods) headers['allow'] = error.allowedMethods.join(', ');
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  const body = errorBody(error, forOpenAi);
  if (request.complete || response.headersSent || response.destroyed) sendJson(response, error.status, body, headers);
  else refuseUnread(request, response, error.status, Buffer.from(stringifyJson(body)), headers);
}
