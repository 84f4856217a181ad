import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../base/apiError.ts';

/** Clients leave the port of an address out if it is the usual one. */
const defaultPorts = { http: 80, https: 443 } as const;

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Refuses what a page in a browser could send: a Host that is not this machine's loopback (a name that was rebound to
 * it), any Origin, and a request that the browser itself calls cross-site.
 * @throws ApiError 403
 */
export function checkOrigin(
  headers: IncomingHttpHeaders,
  { protocol, port }: { protocol: 'http' | 'https'; port: number },
): void {
  const host = headers.host ?? '';
  const [, name = '', given = defaultPorts[protocol]] =
    /^(\[[^\]]*\]|[^:]*)(?::([0-9]+))?$/.exec(host.toLowerCase()) ?? [];
  if (!loopbackNames.has(name) || Number(given) !== port) {
    throw new ApiError(
      403,
      'PERMISSION_DENIED',
      `The Host header is not this service's own; nothing was done. Send the request to ${protocol}://127.0.0.1:${port}.`,
    );
  }
  if (headers.origin !== undefined || headers['sec-fetch-site'] === 'cross-site') {
    throw new ApiError(
      403,
      'PERMISSION_DENIED',
      'Requests of web pages are refused; nothing was done. Send it from a program, without an Origin header.',
    );
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Compares in constant time, whatever the lengths. @throws ApiError 401 */
export function createTokenCheck(token: string): (headers: IncomingHttpHeaders) => void {
  const expected = digest(token);
  return (headers) => {
    const given = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? basicPassword(headers.authorization);
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return;
    const cause =
      headers.authorization === undefined ? 'The request carries no token' : 'The token is not the one of this service';
    throw new ApiError(
      401,
      'UNAUTHENTICATED',
      `${cause}; nothing was done. Send the header "Authorization: Bearer <token>" with the token in service.json, beside the log ` +
        'that "Show Log of the Local Service" opens, or in what the service printed in a terminal.',
    );
  };
}

/** Older clients sign with Basic, in which the user is `token` and the password is the token. */
function basicPassword(authorization: string | undefined): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [user, ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return user === 'token' ? rest.join(':') : undefined;
}
