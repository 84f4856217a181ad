import type { Fetch } from '../../api/index.ts';

/** The editor replaces this fetch by one that knows its proxy and certificate settings. */
export const hostFetch: Fetch = (url, request) => globalThis.fetch(url, request);
