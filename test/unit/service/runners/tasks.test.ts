import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createFileMap } from '../../../../src/service/base/fileMap.ts';
import {
  childEnvironment,
  keeperMarkName,
  markPrefix,
  runMarkName,
} from '../../../../src/service/runners/childEnvironment.ts';
import { mapSparkSubmitParameters } from '../../../../src/service/runners/sparkSubmitParameters.ts';
import { isLoopbackMaster } from '../../../../src/service/runners/sparkTools.ts';
import {
  notebookParameters,
  positionalParameters,
  substitute,
} from '../../../../src/service/runners/taskParameters.ts';
import { isAppError } from '../../../../src/shared/errors.ts';

describe('task parameters', () => {
  it('replaces references once and leaves what it does not know', () => {
    assert.equal(
      substitute('{{run_id}}-{{ job.id }}-{{other}}-{{toString}}', { run_id: '{{job.id}}', 'job.id': '5' }),
      '{{job.id}}-5-{{other}}-{{toString}}',
    );
  });

  it('merges notebook parameters and overrides lists', () => {
    assert.deepEqual(
      notebookParameters(
        { notebook_path: '/x', base_parameters: { a: '1', b: '2' } },
        { notebook_params: { b: '3', c: '{{run_id}}' } },
        { run_id: '9' },
      ),
      { a: '1', b: '3', c: '9' },
    );
    assert.deepEqual(positionalParameters(['a'], undefined, {}), ['a']);
    assert.deepEqual(positionalParameters(['a'], [], {}), []);
    assert.deepEqual(positionalParameters(null, null, {}), []);
  });

  it('knows masters that are this machine', () => {
    assert.deepEqual(
      [
        'local[*]',
        'local',
        'spark://127.0.0.1:7077',
        'spark://localhost:7077',
        'spark://host:7077',
        'yarn',
        'k8s://https://x',
      ].map(isLoopbackMaster),
      [true, true, true, true, false, false, false],
    );
  });

  it('maps the files of spark-submit and refuses what the service sets', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'millrace-parameters-')));
    try {
      await mkdir(join(folder, 'data', 'dfs'), { recursive: true });
      for (const name of ['a.jar', 'b.jar']) await writeFile(join(folder, 'data', 'dfs', name), '');
      await writeFile(join(folder, 'x.py'), '');
      const files = createFileMap({ root: folder, dataFolder: join(folder, 'data') });
      const map = (...parameters: string[]): Promise<string[]> => mapSparkSubmitParameters(parameters, files);
      const dfs = (name: string): string => join(folder, 'data', 'dfs', name);
      assert.deepEqual(
        await map(
          '--class',
          'org.X',
          '--conf',
          'a=b',
          '--jars=dfs:/a.jar,https://x/y.jar',
          '-v',
          'dfs:/b.jar',
          '--master',
          'dfs:/argument',
        ),
        [
          '--class',
          'org.X',
          '--conf',
          'a=b',
          '--jars',
          `${dfs('a.jar')},https://x/y.jar`,
          '-v',
          dfs('b.jar'),
          '--master',
          'dfs:/argument',
        ],
      );
      assert.deepEqual(await map('/x.py', '1'), [join(folder, 'x.py'), '1']);
      assert.deepEqual(await map('--class', 'org.X', 'spark-internal'), ['--class', 'org.X', 'spark-internal']);
      for (const bad of [['--master', 'yarn'], ['--deploy-mode=cluster'], ['--executor-cores', '2'], ['--class']]) {
        await assert.rejects(
          map(...bad),
          (error) => isAppError(error) && error.kind === 'invalid' && error.message.includes(bad[0]!.split('=')[0]!),
        );
      }
      await assert.rejects(map('--jars', 'dfs:/none.jar'), (error) => isAppError(error) && error.kind === 'notFound');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

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
