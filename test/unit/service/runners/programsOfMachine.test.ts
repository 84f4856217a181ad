import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createPythonFinder, examinePython, type Python } from '../../../../src/service/runners/python.ts';
import { findSparkSubmit, requireSpark, sparkVariables } from '../../../../src/service/runners/sparkTools.ts';
import { isAppError } from '../../../../src/shared/errors.ts';

describe('the Python of this machine', function () {
  this.timeout(60_000);
  let folder: string;
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-python-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

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

  it('is none that is too old, fails, or answers something else', async () => {
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
    assert.equal(await examinePython(write('silent', '')), 'it does not answer as a Python does');
    assert.equal(await examinePython(write('failing', answer, 1)).then((found) => typeof found), 'string');
    assert.match(String(await examinePython(join(folder, 'none'))), /none|not found/);
  });

  it('is the first that works, remembered once it is found and looked for again until then', async () => {
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

  it('is the one of the settings and no other, and says how to have Jupyter', async () => {
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

describe('which spark-submit is used', function () {
  let folder: string;
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-spark-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

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

  it('is the one of the settings and no other', async () => {
    const own = program('own/submit');
    const onPath = program('bin/spark-submit');
    const environment = { PATH: dirname(onPath) };
    assert.equal(await find({ sparkSubmit: own }, true, environment), own);
    assert.equal(await find({ sparkSubmit: join(folder, 'nowhere') }, true, environment), undefined);
  });

  it('else that of SPARK_HOME, of the PATH, or of the pyspark of Python, where that is installed', async () => {
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
});

describe('the Spark of this machine', () => {
  let folder: string;
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-spark-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function program(path: string, text = '#!/bin/sh\n', mode = 0o755): string {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  }

  it('is told with its home and the Java of JAVA_HOME, else that of the PATH', async () => {
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

  it('listens on this machine alone where its master does, and logs warnings alone unless it is told what to log', async () => {
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
