import { createHash } from 'node:crypto';
import { resolve } from 'node:path';

/**
 * The variable that marks every process of a run, however far it detaches itself. It holds no secret:
 * `<data folder's digest>:<run id>`.
 */
export const runMarkName = 'MILLRACE_RUN';
/** The variable that tells a keeper from its task, which does not get it. */
export const keeperMarkName = 'MILLRACE_KEEPER';

// What a name says is secret, and what only means something to the editor that started the service.
const secretName = /token|secret|passw|passphrase|credential|api_?key|access_?key|private|(^|_)(key|pat|pwd|pass|auth|cookie|jwt|dsn)(_|$)/i;
const editorName = /^(millrace_|vscode_|electron_|node_options$|node_channel|node_unique_id|chrome_|git_askpass|ssh_askpass|ssh_auth_sock)/i;
const urlWithPassword = /^[a-z][a-z0-9+.-]*:\/\/[^/\s@]*:[^/\s@]+@/i;
// Packages come through these; they are the user's own way out and hold at most the proxy's password.
const proxyName = /^(https?|all|ftp)_proxy$/i;

/**
 * The environment that a task gets: what the service has, without anything that is or may be a credential,
 * and `extra` on top, which the job asked for.
 */
export function childEnvironment(
  base: NodeJS.ProcessEnv,
  extra: Record<string, string> = {},
  secrets: readonly string[] = [],
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value === undefined || secretName.test(name) || editorName.test(name)) continue;
    if (urlWithPassword.test(value) && !proxyName.test(name)) continue;
    if (secrets.some((secret) => secret.length >= 4 && holds(value, secret))) continue;
    result[name] = value;
  }
  return { ...result, ...extra };
}

function holds(value: string, secret: string): boolean {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return value.includes(secret) || value.includes(encodeURIComponent(secret)) || value.includes(base64);
}

/** What all marks of one data folder begin with. */
export function markPrefix(dataFolder: string): string {
  return `${createHash('sha256').update(resolve(dataFolder)).digest('hex').slice(0, 16)}:`;
}
