import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createFileMap } from '../../../../src/service/base/fileMap.ts';
import { childEnvironment } from '../../../../src/service/runners/childEnvironment.ts';
import { createPythonFinder, examinePython, type Python } from '../../../../src/service/runners/python.ts';
import { mapSparkSubmitParameters } from '../../../../src/service/runners/sparkSubmission.ts';
import { findSparkSubmit, requireSpark, sparkVariables } from '../../../../src/service/runners/sparkTools.ts';
import {
  notebookParameters,
  positionalParameters,
  substitute,
} from '../../../../src/service/runners/taskParameters.ts';
import { isAppError } from '../../../../src/shared/errors.ts';
import { eachWithTempFolder } from '../../../support/tempFolder.ts';

describe('Task parameters', () => {
  it('replace references once and leave unknown ones', () => {
    assert.equal(
      substitute('{{run_id}}-{{ job.`id` }}-{{other}}-{{toString}}', { run_id: '{{job.id}}', 'job.id': '5' }),
      '{{job.id}}-5-{{other}}-{{toString}}',
    );
  });

  it('merge notebook parameters and override lists', () => {
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

  it('map spark-submit files and refuse what the service sets', async () => {
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
          '--conf',
          'a=b',
          '--jars=dfs:/a.jar,https://x/y.jar',
          '-v',
          'dfs:/b.jar',
          '--master',
          'dfs:/argument',
        ),
        ['--conf', 'a=b', '--jars', `${dfs('a.jar')},https://x/y.jar`, '-v', dfs('b.jar'), '--master', 'dfs:/argument'],
      );
      assert.deepEqual(await map('/x.py', '1'), [join(folder, 'x.py'), '1']);
      assert.deepEqual(await map('--class', 'org.X', 'spark-internal'), ['--class', 'org.X', 'spark-internal']);
      for (const bad of [['--master', 'yarn'], ['--deploy-mode=cluster'], ['--executor-cores', '2'], ['--class']]) {
        await assert.rejects(
          map(...bad),
          (error) => isAppError(error) && error.kind === 'invalid' && error.message.includes(bad[0]!.split('=')[0]!),
        );
      }
      await assert.rejects(map('--jars', 'dfs:/none.jar'), { kind: 'notFound' });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('Task environment', () => {
  const names = (variables: Record<string, string>, named?: readonly string[]): string[] =>
    Object.keys(childEnvironment(variables, { named }));

  it('has what Java, Spark, conda, proxies, certificates and languages need', () => {
    const needed = [
      ...['PATH', 'HOME', 'JAVA_HOME', 'JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS', '_JAVA_OPTIONS', 'SPARK_HOME', 'Path'],
      ...['PYSPARK_PYTHON', 'HADOOP_CONF_DIR', 'CONDA_PREFIX', 'GDAL_DATA', 'PROJ_DATA', 'PROJ_LIB', 'LD_LIBRARY_PATH'],
      ...['LANG', 'LC_ALL', 'LOCALE_ARCHIVE', 'TZ', 'https_proxy', 'NO_PROXY', 'SSL_CERT_FILE', 'NIX_SSL_CERT_FILE'],
      'ProgramFiles(x86)',
    ];
    assert.deepEqual(names(Object.fromEntries(needed.map((name) => [name, 'http://proxy.example:3128']))), needed);
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

  it('leaves out credentials by name or value and keeps lookalikes', () => {
    const kept = 'PYTHONPATH SPARK_KEYS SPARK_MONKEY PIP_PATH R_AUTHOR UV_PASSED XDG_DSNS R_COOKIES'.split(' ');
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
    ];
    for (const value of open) assert.deepEqual(names({ R_X: value }), ['R_X'], value);
    for (const value of closed) assert.deepEqual(names({ R_X: value }), [], value);
  });

  it('holds no secret value, plain or encoded', () => {
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

describe('Python finder', function () {
  this.timeout(60_000);
  let folder: string;
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  eachWithTempFolder((one) => (folder = one));

  const answer = {
    command: '/found/python3',
    version: '3.9.1',
    baseCommand: '/base/python3',
    packagesPath: 'lib',
    parentPackages: null,
    seesSystem: true,
    nbclient: null,
    sitePackages: ['/site'],
    pysparkHome: null,
    pysparkVersion: null,
  };
  /** A stand-in that prints this, whatever it is asked to run. */
  function write(name: string, printed: object | string, exitCode = 0): string {
    const path = join(folder, name);
    const text = typeof printed === 'string' ? printed : `warning\n@${JSON.stringify(printed)}`;
    writeFileSync(path, `#!/bin/sh\ncat <<'END'\n${text}\nEND\nexit ${exitCode}\n`);
    chmodSync(path, 0o755);
    return path;
  }
  const here = (): { environment: NodeJS.ProcessEnv } => ({ environment: { PATH: `${folder}:/usr/bin:/bin` } });

  it('refuses one that is too old, fails or is something else', async () => {
    for (const [version, expected] of [
      ['3.8.0', 'object'],
      ['4.0', 'object'],
      ['3.7.17', 'version 3.7.17 is too old'],
      ['2.7.18', 'version 2.7.18 is too old'],
    ] as const) {
      const found = await examinePython(write('python3', { ...answer, version }));
      assert.equal(typeof found === 'string' ? found : typeof found, expected);
    }
    assert.equal(await examinePython(write('odd', 'first\nlast words')), 'last words');
    assert.equal(await examinePython(write('silent', '')), 'it does not respond like Python');
    assert.equal(await examinePython(write('failing', answer, 1)).then((found) => typeof found), 'string');
    assert.match(String(await examinePython(join(folder, 'none'))), /none|not found/);
  });

  it('remembers the first that works', async () => {
    write('python3', 'broken', 1);
    write('python', 'broken, too', 1);
    const finder = createPythonFinder(here());
    await assert.rejects(finder.find(), (error) => {
      assert.ok(isAppError(error));
      assert.equal(error.kind, 'unavailable');
      assert.match(error.message, /\(python3: broken; python: broken, too\), so the run was not started/);
      assert.match(error.remedy ?? '', /^Install Python 3\.8 or newer/);
      return true;
    });
    assert.deepEqual(
      (await finder.probe()).map(({ name, available }) => [name, available]),
      [
        ['python', false],
        ['jupyter', false],
      ],
    );
    write('python', answer);
    assert.equal((await finder.find()).version, '3.9.1');
    write('python3', { ...answer, version: '3.12.0' });
    assert.equal((await finder.find()).version, '3.9.1');
    assert.equal((await createPythonFinder(here()).find()).version, '3.12.0');
  });

  it('uses only the configured one', async () => {
    write('python3', answer);
    const configured = join(folder, 'own');
    const finder = createPythonFinder({ configured, ...here() });
    await assert.rejects(finder.find(), /own: /);
    write('own', { ...answer, version: '3.11.0' });
    const [python, jupyter] = await finder.probe();
    assert.deepEqual([python?.available, python?.version, jupyter?.available], [true, '3.11.0', false]);
    assert.match(jupyter?.remedy ?? '', /: \/found\/python3 -m pip install nbclient ipykernel$/);
    write('with', { ...answer, nbclient: '0.10' });
    const [, there] = await createPythonFinder({ configured: join(folder, 'with'), ...here() }).probe();
    assert.deepEqual([there?.available, there?.version], [true, '0.10']);
  });
});

describe('Spark finder', function () {
  let folder: string;
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  eachWithTempFolder((one) => (folder = one));

  function program(path: string, mode = 0o755): string {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '#!/bin/sh\n');
    chmodSync(file, mode);
    return file;
  }
  const python = (): Python => ({ pysparkHome: join(folder, 'pyspark') }) as Python;
  const find = (
    options: { sparkSubmit?: string },
    withPyspark: boolean,
    environment: NodeJS.ProcessEnv = {},
  ): Promise<string | undefined> => findSparkSubmit(options, withPyspark ? python() : undefined, environment);

  it('uses only the configured one', async () => {
    const own = program('own/submit');
    const onPath = program('bin/spark-submit');
    const environment = { PATH: dirname(onPath) };
    assert.equal(await find({ sparkSubmit: own }, true, environment), own);
    assert.equal(await find({ sparkSubmit: join(folder, 'nowhere') }, true, environment), undefined);
  });

  it('looks at SPARK_HOME, the PATH and pyspark', async () => {
    assert.equal(await find({}, true, { PATH: '' }), undefined);
    const ofPython = program('pyspark/bin/spark-submit');
    assert.equal(await find({}, true, { PATH: '' }), ofPython);
    const onPath = program('bin/spark-submit');
    const environment = { PATH: dirname(onPath) };
    assert.equal(await find({}, true, environment), ofPython);
    assert.equal(await find({}, false, environment), onPath);
    const emptyHome = { ...environment, SPARK_HOME: join(folder, 'empty') };
    assert.equal(await find({}, true, emptyHome), ofPython);
    chmodSync(ofPython, 0o644);
    assert.equal(await find({}, true, emptyHome), onPath, 'one that cannot be run is none');
    assert.equal(await find({}, true, environment), onPath, 'one that cannot be run is none');
    const ofHome = program('home/bin/spark-submit');
    assert.equal(await find({}, true, { ...environment, SPARK_HOME: join(folder, 'home') }), ofHome);
    assert.equal(await find({}, false, { ...environment, SPARK_HOME: join(folder, 'empty') }), onPath);
  });

  it('gives its home and the Java of JAVA_HOME or the PATH', async () => {
    const submit = program('spark/bin/spark-submit');
    const [own, onPath] = [program('jdk/bin/java'), program('bin/java')];
    const environment = {
      SPARK_HOME: join(folder, 'spark'),
      JAVA_HOME: join(folder, 'jdk'),
      PATH: join(folder, 'bin'),
    };
    const home = join(folder, 'spark');
    assert.deepEqual(await requireSpark({}, undefined, environment), { submit, java: own, home });
    for (const JAVA_HOME of [undefined, '', join(folder, 'none')])
      assert.deepEqual(await requireSpark({}, undefined, { ...environment, JAVA_HOME }), {
        submit,
        java: onPath,
        home,
      });
  });

  it('listens on this machine only when its master does', async () => {
    const logging = { log4j1: '/1.properties', log4j2: '/2.properties' };
    const options =
      '"-Dlog4j2.configurationFile=file:/2.properties" "-Dlog4j.configuration=file:/1.properties" ' +
      '"-Dspark.ui.showConsoleProgress=false"';
    const own = { SPARK_LOCAL_IP: '127.0.0.1' };
    for (const master of [undefined, 'local[2]', 'spark://localhost:7077'])
      assert.deepEqual(await sparkVariables(master, logging, {}), { ...own, SPARK_SUBMIT_OPTS: options });
    assert.deepEqual(await sparkVariables('yarn', logging, { SPARK_SUBMIT_OPTS: '-Da=b' }), {
      SPARK_SUBMIT_OPTS: `${options} -Da=b`,
    });
    mkdirSync(join(folder, 'conf'));
    const ofHome = { SPARK_HOME: folder };
    assert.ok((await sparkVariables('yarn', logging, ofHome))['SPARK_SUBMIT_OPTS']);
    writeFileSync(join(folder, 'conf', 'log4j2.properties.template'), '');
    assert.ok((await sparkVariables('yarn', logging, ofHome))['SPARK_SUBMIT_OPTS'], 'a template says nothing');
    for (const name of [
      'log4j.properties',
      'log4j2.properties',
      'log4j2.xml',
      'log4j2.yaml',
      'log4j2.yml',
      'log4j2.json',
    ]) {
      writeFileSync(join(folder, 'conf', name), '');
      assert.deepEqual(await sparkVariables('yarn', logging, ofHome), {}, name);
      assert.deepEqual(await sparkVariables('local', logging, { SPARK_CONF_DIR: join(folder, 'conf') }), own);
      const elsewhere = { ...ofHome, SPARK_CONF_DIR: join(folder, 'none') };
      assert.ok(
        (await sparkVariables('yarn', logging, elsewhere))['SPARK_SUBMIT_OPTS'],
        'the folder that is named counts',
      );
      rmSync(join(folder, 'conf', name));
    }
  });
});
