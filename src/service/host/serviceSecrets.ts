import type { ServiceConfiguration } from '../startup/serviceConfiguration.ts';

/** Name under which the mail server's password is stored. */
export const mailPasswordName = 'mail-password';

/** Returns the key of a model server's API key in the editor's secret storage: a key belongs to the address that it was entered for. */
export function modelKeyOf(baseUrl: string): string {
  return `model-key:${baseUrl.replace(/(?<!\/)\/+$/, '')}`;
}

export const secretNamePattern = /^[A-Za-z0-9_.-]{1,64}$/;
const reference = /\$\{secret:([A-Za-z0-9_.-]{1,64})\}/g;

/** Reads a secret by its name, or returns `undefined` if there is none. */
export type ReadSecret = (name: string) => Promise<string | undefined>;

export interface ResolvedConfiguration {
  readonly configuration: ServiceConfiguration;
  /** Names of secrets that are referred to but not stored. */
  readonly missing: string[];
  /** IDs of the destinations that were left out because one of their secrets is missing. */
  readonly leftOut: string[];
  /** Whether the setting itself holds a password, which is not used. */
  readonly hasPlainPassword: boolean;
  /** IDs of destinations whose setting has a header that looks like a secret. */
  readonly plainHeadersOf: string[];
}

const secretHeader = /authorization|cookie|token|secret|passw|key/i;

function isPlainSecret([name, value]: [string, string]): boolean {
  return secretHeader.test(name) && value.match(reference) === null;
}

/** Returns the key in the editor's secret storage. */
export function storageKeyOf(name: string): string {
  return `service:${name}`;
}

/** Returns the names that `${secret:name}` refers to in addresses and headers of destinations, each once. */
export function secretNamesIn(destinations: ServiceConfiguration['destinations']): string[] {
  const texts = Object.values(destinations ?? {}).flatMap(({ url, headers }) => [url, ...Object.values(headers ?? {})]);
  return [...new Set(texts.flatMap((text) => [...String(text).matchAll(reference)].map(([, name = '']) => name)))];
}

/**
 * Fills in the secrets that settings refer to: the mail server's password, and `${secret:name}` in addresses and headers of webhook
 * destinations. A destination with a missing secret is left out: its messages become files, like those for an unknown ID.
 */
export async function withSecrets(given: ServiceConfiguration, read: ReadSecret): Promise<ResolvedConfiguration> {
  const { smtp, destinations, ...rest } = given;
  const missing: string[] = [];
  const leftOut: string[] = [];
  const values = new Map<string, string>();
  for (const name of secretNamesIn(destinations)) {
    const value = await read(name);
    if (value === undefined) missing.push(name);
    else values.set(name, value);
  }
  const resolve = (text: string): string => text.replace(reference, (_, name: string) => values.get(name) ?? '');
  const resolved: NonNullable<ServiceConfiguration['destinations']> = {};
  for (const [id, destination] of Object.entries(destinations ?? {})) {
    if (secretNamesIn({ [id]: destination }).some((name) => !values.has(name))) {
      leftOut.push(id);
      continue;
    }
    const headers =
      destination.headers &&
      Object.fromEntries(Object.entries(destination.headers).map(([name, value]) => [name, resolve(value)]));
    resolved[id] = { ...destination, url: resolve(destination.url), ...(headers && { headers }) };
  }
  const password = smtp?.user === undefined ? undefined : await read(mailPasswordName);
  if (smtp?.user !== undefined && password === undefined) missing.push(mailPasswordName);
  return {
    configuration: {
      ...rest,
      ...(smtp && { smtp: { ...smtp, password } }),
      ...(destinations && { destinations: resolved }),
    },
    missing,
    leftOut,
    hasPlainPassword: smtp?.password !== undefined,
    plainHeadersOf: Object.entries(destinations ?? {})
      .filter(([, { headers }]) => Object.entries(headers ?? {}).some(isPlainSecret))
      .map(([id]) => id),
  };
}
