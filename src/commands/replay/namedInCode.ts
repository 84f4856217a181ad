import { l10n } from '../../shared/l10n.ts';

const remotePath = /\b(?:dbfs|dfs|objstore|s3|s3a|s3n|gs|abfss|abfs|wasbs|wasb|adl):\/[^\s"'`,;)\]}\\]{1,300}/g;
const mountedPath = /["'`=](\/(?:dbfs|mnt|Volumes)\/[^\s"'`,;)\]}\\]{1,300})/g;
const secret =
  /dbutils\.secrets\.get(?:Bytes)?\(\s{0,20}(?:scope\s{0,5}=\s{0,5})?["']([^"']{1,200})["']\s{0,20},\s{0,20}(?:key\s{0,5}=\s{0,5})?["']([^"']{1,200})["']/g;
const table = /(?:\.table|\.saveAsTable|\.insertInto)\(\s{0,20}["']([^"']{1,300})["']/g;
const sql = /(?:\bspark|\bsqlContext)\.sql\(|^(?:# MAGIC )?%sql\b/m;
/** So many of a kind are named; the rest is counted. */
const maxNamed = 8;

/**
 * What a run's parameters and its own file name that is not on this machine, in sentences. Only what is written out is found: what is put
 * together while it runs, or done by a module that is imported, is not.
 */
export function namedInCode(parameters: string, code: string): string[] {
  const whole = `${parameters}\n${code}`;
  const found: string[] = [];
  const paths = [...whole.matchAll(remotePath)].map(([path]) => path);
  paths.push(...[...whole.matchAll(mountedPath)].map(([, path]) => path ?? ''));
  const secrets = [...code.matchAll(secret)].map(([, scope, key]) => `${scope}/${key}`);
  const tables = [...code.matchAll(table)].map(([, name]) => name ?? '');
  if (paths.length > 0) found.push(l10n.t('Files and mounts: {0}.', listOf(paths)));
  if (secrets.length > 0) found.push(l10n.t('Secrets: {0}.', listOf(secrets)));
  else if (code.includes('dbutils.secrets')) found.push(l10n.t('Secrets: the code asks for some.'));
  if (tables.length > 0) found.push(l10n.t('Tables: {0}.', listOf(tables)));
  if (sql.test(code)) found.push(l10n.t('The tables that its SQL names: Spark here has its own.'));
  return found;
}

function listOf(names: readonly string[]): string {
  const all = [...new Set(names)];
  const more = all.length - maxNamed;
  return [...all.slice(0, maxNamed), ...(more > 0 ? [l10n.t('and {0} more', more)] : [])].join(', ');
}
