import { createHash } from 'node:crypto';
import { resolve } from 'node:path';

/**
 * Variable that marks every process of a run, however far it detaches itself. It holds no secret: `<digest of the data folder>:<run id>`.
 */
export const runMarkName = 'MILLRACE_RUN';
/** Variable that tells a keeper from its task, which does not get it. */
export const keeperMarkName = 'MILLRACE_KEEPER';

/** Variables that programs need to find themselves, their files and their language. */
const plainNames = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'HOSTNAME',
  'TERM',
  'COLORTERM',
  'NO_COLOR',
  'LANG',
  'LANGUAGE',
  'LOCPATH',
  'LOCALE_ARCHIVE',
  'TZ',
  'TZDIR',
  'TMPDIR',
  'TMP',
  'TEMP',
  'MAIL',
  'EDITOR',
  'PAGER',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'DYLD_FALLBACK_LIBRARY_PATH',
  // Python, R, Java, Scala, Spark and Hadoop, in addition to the prefixes below.
  'VIRTUAL_ENV',
  'MPLBACKEND',
  'MPLCONFIGDIR',
  'IPYTHONDIR',
  'JAVA_HOME',
  'JDK_HOME',
  'JRE_HOME',
  'JAVA_OPTS',
  'JAVA_TOOL_OPTIONS',
  'JDK_JAVA_OPTIONS',
  '_JAVA_OPTIONS',
  'CLASSPATH',
  'SCALA_HOME',
  'GDAL_DATA',
  'PROJ_DATA',
  'PROJ_LIB',
  'YARN_CONF_DIR',
  'M2_HOME',
  'MAVEN_HOME',
  'MAVEN_OPTS',
  'RSCRIPT',
  'NODE_EXTRA_CA_CERTS',
  // Proxies to use, and certificates to trust.
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'FTP_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'NIX_SSL_CERT_FILE',
  // Windows.
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'OS',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'ALLUSERSPROFILE',
  'PUBLIC',
  'USERPROFILE',
  'USERNAME',
  'USERDOMAIN',
  'COMPUTERNAME',
  'HOMEDRIVE',
  'HOMEPATH',
  'NUMBER_OF_PROCESSORS',
  'PSMODULEPATH',
]);
const plainPrefixes = [
  'LC_',
  'XDG_',
  'PYTHON',
  'PYENV_',
  'CONDA_',
  'MAMBA_',
  'PIP_',
  'UV_',
  'JUPYTER_',
  'SPARK_',
  'PYSPARK_',
  'HADOOP_',
  'HIVE_',
  'IVY_',
  'R_',
  'RENV_',
  'OMP_',
  'MKL_',
  'OPENBLAS_',
  'NUMEXPR_',
  'CUDA_',
  'NVIDIA_',
  'ROCR_',
  'PROCESSOR_',
  'PROGRAMFILES',
  'PROGRAMW6432',
  'COMMONPROGRAM',
];

/** Even among those, a name or a value may be a credential. */
const secretName =
  /token|secret|passw|passphrase|credential|api_?key|access_?key|private|(?:^|_)(?:key|pat|pwd|pass|auth|cookie|jwt|dsn)(?:_|$)/i;
const urlWithUser = /(?<=[a-z0-9+.-]:\/\/)[^\s/?#@]+@/i;
const assignedSecret = /(?:token|secret|passw(?:or)?d|api[_-]?key)["']?\s{0,8}[=:]/i;

export interface ChildEnvironmentOptions {
  /** Additional names for tasks; a name that ends in `*` stands for all with that prefix. */
  readonly named?: readonly string[];
  /** Values that no task may get, whatever their names. */
  readonly secrets?: readonly string[];
}

/**
 * Builds a task's environment: the service's variables that programs are known to need, without possible credentials, and those that the
 * user named.
 */
export function childEnvironment(
  base: NodeJS.ProcessEnv,
  options: ChildEnvironmentOptions = {},
): Record<string, string> {
  const { named = [], secrets = [] } = options;
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value === undefined || secrets.some((secret) => secret.length >= 4 && holds(value, secret))) continue;
    if (isNamed(name, named) || (isPlain(name) && !isSecret(name, value))) result[name] = value;
  }
  return result;
}

function isPlain(name: string): boolean {
  const upper = name.toUpperCase();
  return plainNames.has(upper) || plainPrefixes.some((prefix) => upper.startsWith(prefix));
}

function isSecret(name: string, value: string): boolean {
  return secretName.test(name) || urlWithUser.test(value) || assignedSecret.test(value);
}

function isNamed(name: string, named: readonly string[]): boolean {
  // The service's own variables are never passed on.
  if (/^millrace_/i.test(name)) return false;
  return named.some((each) =>
    each.endsWith('*') && each.length > 1 ? name.startsWith(each.slice(0, -1)) : name === each,
  );
}

function holds(value: string, secret: string): boolean {
  const base64 = Buffer.from(secret)
    .toString('base64')
    .replace(/={1,2}$/, '');
  return value.includes(secret) || value.includes(encodeURIComponent(secret)) || value.includes(base64);
}

/** Returns the prefix of all marks of one data folder. */
export function markPrefix(dataFolder: string): string {
  return `${createHash('sha256').update(resolve(dataFolder)).digest('hex').slice(0, 16)}:`;
}
