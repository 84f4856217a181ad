import type { EndpointTask } from '../api/schema/inference/endpoints.ts';
import type { Fields } from '../shared/fields.ts';
import { l10n } from '../shared/l10n.ts';
import { type AuthKind, type EndpointRef, localProfile, type Profile } from './connection.ts';

/** The parsed setting `millrace.profiles`. Parsing is lenient: one bad entry never hides the others. */
export interface ReadProfiles {
  /** The built-in local profile, followed by those of the setting. */
  readonly profiles: readonly Profile[];
  /** For each entry that is ignored or changed, a sentence or two with the reason and the remedy. */
  readonly problems: readonly string[];
}

const authKinds: readonly AuthKind[] = ['bearer', 'basic', 'header', 'command', 'none'];
const tasks: readonly EndpointTask[] = ['chat', 'completion', 'embedding'];

/** Reads the profiles of the setting, which may contain anything. */
export function readProfiles(setting: unknown): ReadProfiles {
  const profiles: Profile[] = [localProfile];
  const problems: string[] = [];
  if (setting !== undefined && !Array.isArray(setting))
    problems.push(l10n.t('millrace.profiles is ignored: it must be a list with an object for each profile.'));
  for (const [index, entry] of (Array.isArray(setting) ? (setting as unknown[]) : []).entries()) {
    const read = readProfile(entry, profiles);
    if (typeof read === 'string') {
      problems.push(l10n.t('millrace.profiles: entry {0} is ignored. {1}', index + 1, read));
      continue;
    }
    profiles.push(read);
    const unclear = protections.filter((name) => !isFlag((entry as Fields)[name]));
    if (unclear.length > 0)
      problems.push(
        l10n.t(
          'millrace.profiles: {0} of "{1}" must be true or false. Until then it counts as true.',
          unclear.join(', '),
          read.name,
        ),
      );
  }
  return { profiles, problems };
}

/** Flags that protect a workspace. Any value except false counts as true, to be safe. */
const protections = ['production', 'readOnly'] as const;

function isFlag(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'boolean';
}

function isProtected(value: unknown): boolean {
  return value === true || !isFlag(value);
}

function readProfile(entry: unknown, taken: readonly Profile[]): Profile | string {
  if (typeof entry !== 'object' || entry === null) return l10n.t('A profile must be an object with name and baseUrl.');
  const fields = entry as Fields;
  const name = textOf(fields['name']);
  if (name === undefined) return l10n.t('It has no name. Add one.');
  const url = checkBaseUrl(textOf(fields['baseUrl']) ?? '');
  if (!url.ok) return url.problem;
  const id = textOf(fields['id']) ?? slugOf(name);
  if (taken.some((profile) => profile.id === id))
    return l10n.t('Another profile has the ID "{0}". Choose another ID.', id);
  const authKind = authKinds.find((kind) => kind === (fields['authKind'] ?? 'bearer'));
  if (authKind === undefined) return l10n.t('Its authKind must be one of {0}.', authKinds.join(', '));
  const headerName = textOf(fields['headerName']);
  if (authKind === 'header' && (headerName === undefined || !isHeaderName(headerName)))
    return l10n.t('It needs the field headerName: the name of the header to send.');
  const command = textOf(fields['command']);
  if (authKind === 'command' && command === undefined)
    return l10n.t('It needs the field command: the program that prints the token.');
  return {
    id,
    name,
    kind: 'remote',
    baseUrl: url.value,
    authKind,
    headerName,
    userName: textOf(fields['userName']),
    command,
    production: isProtected(fields['production']),
    readOnly: isProtected(fields['readOnly']),
    endpoints: readEndpoints(fields['endpoints']),
  };
}

function readEndpoints(value: unknown): EndpointRef[] {
  if (!Array.isArray(value)) return [];
  return (value as unknown[]).flatMap((entry) => {
    if (typeof entry === 'string' && entry.trim() !== '') return [{ name: entry.trim(), task: 'chat' as const }];
    if (typeof entry !== 'object' || entry === null) return [];
    const name = textOf((entry as Fields)['name']);
    const task = tasks.find((known) => known === ((entry as Fields)['task'] ?? 'chat'));
    return name === undefined || task === undefined ? [] : [{ name, task }];
  });
}

/** Returns the setting's entry for a profile: only values that differ from a default, never a secret. */
export function toSetting(profile: Profile): Record<string, unknown> {
  return {
    id: profile.id,
    name: profile.name,
    baseUrl: profile.baseUrl,
    ...(profile.authKind === 'bearer' ? {} : { authKind: profile.authKind }),
    ...(profile.authKind === 'header' ? { headerName: profile.headerName } : {}),
    ...(profile.authKind === 'basic' ? { userName: profile.userName } : {}),
    ...(profile.authKind === 'command' ? { command: profile.command } : {}),
    ...(profile.production ? { production: true } : {}),
    ...(profile.readOnly ? { readOnly: true } : {}),
    ...(profile.endpoints.length > 0 ? { endpoints: profile.endpoints.map(({ name, task }) => ({ name, task })) } : {}),
  };
}

export type CheckedText =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly problem: string };

/** Normalizes a base URL: no trailing slashes, and nothing that would be shown or sent by accident. */
export function checkBaseUrl(text: string): CheckedText {
  const trimmed = text.trim();
  const refuse = (problem: string): CheckedText => ({ ok: false, problem });
  if (trimmed === '') return refuse(l10n.t('Enter the address of the service, such as https://workspace.example.com.'));
  // A host without a scheme is a common short form; any scheme must be http or https.
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`);
  if (!url || url.hostname === '')
    return refuse(l10n.t('This is not an address. Enter it as https://host, with the port and path of the service.'));
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return refuse(l10n.t('The address must start with https:// or http://, not {0}//.', url.protocol));
  if (url.username !== '' || url.password !== '')
    return refuse(
      l10n.t(
        'The address cannot contain a user name or password, because they would be visible. Remove them; the next step asks for the sign-in.',
      ),
    );
  if (url.search !== '' || url.hash !== '')
    return refuse(l10n.t('The address cannot contain a query (?…) or a fragment (#…). Remove it.'));
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  const api = path.search(/\/api\/2\.\d(?:\/jobs|$)/);
  return { ok: true, value: `${url.origin}${api === -1 ? path : path.slice(0, api)}` };
}

/** Returns whether a secret sent there could be intercepted: plain http to another machine. */
export function isSentInTheClear(baseUrl: string): boolean {
  const url = URL.parse(baseUrl);
  return url?.protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
}

/** Returns scheme, host and port, to which a secret is bound. */
export function originOf(profile: Profile): string {
  return URL.parse(profile.baseUrl ?? '')?.origin ?? 'local';
}

/** Describes where a profile connects, for a confirmation or a tooltip. */
export function settingsTargetOf(profile: Profile): string {
  return profile.baseUrl ?? l10n.t('the local service on this machine');
}

/** Returns whether a text is an HTTP token (RFC 9110): anything else could inject a second header. */
export function isHeaderName(text: string): boolean {
  return (
    /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text) && !/^(host|content-length|transfer-encoding|connection)$/i.test(text)
  );
}

/** Returns a unique ID from which a person can recognize the profile. */
export function newProfileId(name: string, random: string): string {
  return `${slugOf(name)}-${random
    .replace(/[^a-z0-9]/gi, '')
    .slice(0, 6)
    .toLowerCase()}`;
}

function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);
  return slug === '' ? 'profile' : slug;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
