import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';

/** The part of `fetch` that requests to model servers use. */
export type UpstreamFetch = (
  url: string,
  options: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal; redirect: 'manual' },
) => Promise<Response>;

/** Maximum 1xx responses before the final one. Some servers send one now and then while they work. */
const maxInterimAnswers = 1000;

const withoutBody = new Set([204, 205, 304]);

/**
 * Works like `fetch` without its limit of 300 seconds to the first byte, which slow models exceed. It does not follow redirects, and each
 * request has its own socket, which ends with it.
 */
export const patientFetch: UpstreamFetch = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const { request: open } = url.startsWith('https:') ? https : http;
    const request = open(
      url,
      {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) },
        signal,
        agent: false,
      },
      (message) => {
        const status = message.statusCode ?? 502;
        const received = new Headers();
        for (const [name, value] of Object.entries(message.headers))
          if (value !== undefined) received.set(name, Array.isArray(value) ? value.join(', ') : value);
        const empty = withoutBody.has(status);
        if (empty) message.resume();
        // The two declarations of web streams differ in name only.
        const stream = empty ? null : (Readable.toWeb(message) as unknown as ReadableStream<Uint8Array>);
        resolve(new Response(stream, { status, statusText: message.statusMessage, headers: received }));
      },
    );
    request.on('error', reject);
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > maxInterimAnswers) request.destroy(new Error('the server sends interim answers without end'));
    });
    request.end(body);
  });
