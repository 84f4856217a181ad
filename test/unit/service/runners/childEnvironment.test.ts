import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import {
  childEnvironment,
  keeperMarkName,
  markPrefix,
  runMarkName,
} from '../../../../src/service/runners/childEnvironment.ts';

describe('what of its environment the service gives to tasks', () => {
  const names = (variables: Record<string, string>, named?: readonly string[]): string[] =>
    Object.keys(childEnvironment(variables, { named }));

  it('is what Java, Spark, conda, proxies, certificates and languages need', () => {
    const needed = {
      PATH: '/bin',
      HOME: '/home/a',
      JAVA_HOME: '/jdk',
      JAVA_TOOL_OPTIONS: '-Xmx1g',
      JDK_JAVA_OPTIONS: '-Xss2m',
      _JAVA_OPTIONS: '-Duser.language=en',
      SPARK_HOME: '/spark',
      PYSPARK_PYTHON: 'python3',
      HADOOP_CONF_DIR: '/etc/hadoop',
      CONDA_PREFIX: '/conda',
      GDAL_DATA: '/conda/share/gdal',
      PROJ_DATA: '/conda/share/proj',
      PROJ_LIB: '/conda/share/proj',
      LD_LIBRARY_PATH: '/opt/lib',
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'C',
      LOCALE_ARCHIVE: '/nix/locale',
      TZ: 'Asia/Tokyo',
      https_proxy: 'http://proxy.example:3128',
      NO_PROXY: 'localhost',
      SSL_CERT_FILE: '/etc/ssl/own.pem',
      NIX_SSL_CERT_FILE: '/etc/ssl/own.pem',
      Path: 'C:\\',
      'ProgramFiles(x86)': 'C:\\P',
    };
    assert.deepEqual(names(needed), Object.keys(needed));
  });

  it('holds no credentials, whatever their names', () => {
    assert.deepEqual(
      names({
        SSH_AUTH_SOCK: '/tmp/agent',
        GITHUB_TOKEN: 'x',
        SPARK_AUTH_SECRET: 'x',
        CONDA_TOKEN: 'x',
        PIP_INDEX_URL: 'https://me:word@host/simple',
        HTTPS_PROXY: 'http://me:word@proxy:3128',
        JAVA_TOOL_OPTIONS: '-Djavax.net.ssl.trustStorePassword=word',
        KRB5CCNAME: '/tmp/krb5cc',
        NODE_OPTIONS: '--require x',
        VSCODE_IPC_HOOK: 'x',
        ELECTRON_RUN_AS_NODE: '1',
      }),
      [],
    );
  });

  it('holds what the user names, but nothing of the service', () => {
    assert.deepEqual(
      names({ SSH_AUTH_SOCK: '/tmp/agent', HTTPS_PROXY: 'http://me:word@proxy:3128', MILLRACE_TOKEN: 'x' }, [
        'SSH_AUTH_SOCK',
        'HTTPS_*',
        'MILLRACE_*',
        '*',
      ]),
      ['SSH_AUTH_SOCK', 'HTTPS_PROXY'],
    );
  });

  it('is each variable that programs are known to need, in any case, and what only begins or ends like one is none', () => {
    const alone = [
      'PATH HOME USER LOGNAME SHELL HOSTNAME TERM COLORTERM NO_COLOR LANG LANGUAGE LOCPATH LOCALE_ARCHIVE',
      'TZ TZDIR TMPDIR TMP TEMP MAIL EDITOR PAGER LD_LIBRARY_PATH DYLD_LIBRARY_PATH',
      'DYLD_FALLBACK_LIBRARY_PATH VIRTUAL_ENV MPLBACKEND MPLCONFIGDIR IPYTHONDIR JAVA_HOME JDK_HOME',
      'JRE_HOME JAVA_OPTS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS CLASSPATH SCALA_HOME GDAL_DATA',
      'PROJ_DATA PROJ_LIB YARN_CONF_DIR M2_HOME MAVEN_HOME MAVEN_OPTS RSCRIPT NODE_EXTRA_CA_CERTS',
      'HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE',
      'CURL_CA_BUNDLE GIT_SSL_CAINFO NIX_SSL_CERT_FILE SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT OS',
      'APPDATA LOCALAPPDATA PROGRAMDATA ALLUSERSPROFILE PUBLIC USERPROFILE USERNAME USERDOMAIN COMPUTERNAME',
      'HOMEDRIVE HOMEPATH NUMBER_OF_PROCESSORS PSMODULEPATH',
    ]
      .join(' ')
      .split(' ');
    const families = [
      'LC_ XDG_ PYTHON PYENV_ CONDA_ MAMBA_ PIP_ UV_ JUPYTER_ SPARK_ PYSPARK_ HADOOP_ HIVE_ IVY_ R_ RENV_',
      'OMP_ MKL_ OPENBLAS_ NUMEXPR_ CUDA_ NVIDIA_ ROCR_ PROCESSOR_ PROGRAMFILES PROGRAMW6432 COMMONPROGRAM',
    ]
      .join(' ')
      .split(' ');
    const given = [...alone, ...alone.map((name) => name.toLowerCase()), ...families.map((name) => `${name}X`)];
    assert.deepEqual(names(Object.fromEntries(given.map((name) => [name, 'plain']))), [...new Set(given)]);
    const others = ['HOMEX', 'XHOME', 'MY_PATH', 'X_SPARK_HOME', 'LC', 'EDITORS', 'SECRET', ''];
    assert.deepEqual(names(Object.fromEntries(others.map((name) => [name, 'plain']))), []);
  });

  it('leaves out what is called like a credential or holds one, and keeps what only resembles it', () => {
    const kept = [
      'PYTHONPATH',
      'SPARK_KEYS',
      'SPARK_MONKEY',
      'PIP_PATH',
      'R_AUTHOR',
      'UV_PASSED',
      'XDG_DSNS',
      'R_COOKIES',
    ];
    const dropped = [
      ...['SPARK_TOKENS', 'SPARK_MYSECRET', 'UV_PASSWORD', 'UV_PASSPHRASE', 'R_CREDENTIALS', 'R_APIKEY', 'R_API_KEY'],
      ...['R_ACCESSKEY', 'R_ACCESS_KEY', 'R_PRIVATE', 'R_KEY', 'R_PAT', 'R_PWD_X', 'R_PASS', 'R_AUTH_X', 'R_COOKIE'],
      ...['R_JWT', 'R_DSN', 'spark_token'],
    ];
    assert.deepEqual(names(Object.fromEntries([...kept, ...dropped].map((name) => [name, 'plain']))), kept);
    const open = ['https://host/simple', 'https://host/a@b', 'me@host', 'https://host?q=a@b', 'the token', '-Dkeys=1'];
    const closed = [
      'x https://me@host',
      'S3A://me:a@host',
      'token=1',
      'Secret : 1',
      '"password": 1',
      'passwd=1',
      'api-key=1',
      'apikey:1',
    ];
    for (const value of open) assert.deepEqual(names({ R_X: value }), ['R_X'], value);
    for (const value of closed) assert.deepEqual(names({ R_X: value }), [], value);
  });

  it('has no value that holds a secret, as it is or encoded, even where the user names the variable', () => {
    const environment = {
      ASIS: 'a s/cr?t!',
      WITHIN: 'x a s/cr?t! y',
      ENCODED: `u=${encodeURIComponent('a s/cr?t!')}`,
      BASE64: `Basic ${Buffer.from('a s/cr?t! and more').toString('base64')}`,
      PADDED: Buffer.from('four').toString('base64').replace('==', ''),
      SHORT: 'abc',
      OTHER: 'a s/cr',
      GONE: undefined,
    };
    const given = (secrets?: string[]): string[] =>
      Object.keys(childEnvironment(environment, { secrets, named: Object.keys(environment) }));
    assert.deepEqual(given(['a s/cr?t!', 'four', 'abc']), ['SHORT', 'OTHER']);
    assert.deepEqual(given(), ['ASIS', 'WITHIN', 'ENCODED', 'BASE64', 'PADDED', 'SHORT', 'OTHER']);
    assert.deepEqual(childEnvironment({ HOME: '/home/a', HOST: 'h' }), { HOME: '/home/a' });
  });

  it('takes a name for itself, and for a beginning only with a star that is not all of it', () => {
    const variables = { A: '1', AB: '2', ABC: '3', XA: '4', '*': '5', millrace_x: '6', MY_MILLRACE_X: '7' };
    const table: [named: string[], given: string[]][] = [
      [['A'], ['A']],
      [['A*'], ['A', 'AB', 'ABC']],
      [
        ['AB*', 'XA'],
        ['AB', 'ABC', 'XA'],
      ],
      [['*'], ['*']],
      [['a'], []],
      [['millrace_x', 'M*', 'MY_MILLRACE_X'], ['MY_MILLRACE_X']],
    ];
    for (const [named, given] of table) assert.deepEqual(names(variables, named), given, named.join());
  });
});

describe('the mark of a run', () => {
  it('begins with sixteen digits that stand for its data folder, however that is written', () => {
    assert.deepEqual([runMarkName, keeperMarkName], ['MILLRACE_RUN', 'MILLRACE_KEEPER']);
    assert.match(markPrefix('/data'), /^[0-9a-f]{16}:$/);
    assert.equal(markPrefix('/data/x/../'), markPrefix('/data'));
    assert.equal(markPrefix('data'), markPrefix(resolve('data')));
    assert.notEqual(markPrefix('/data'), markPrefix('/data2'));
  });
});
