import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Python } from '../../../../src/service/runners/python.ts';
import {
  findSparkSubmit,
  isLoopbackMaster,
  probeSpark,
  requireSpark,
  sparkVariables,
} from '../../../../src/service/runners/sparkTools.ts';
import { isAppError } from '../../../../src/shared/errors.ts';

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
  const version = '#!/bin/sh\necho \'openjdk version "17.0.1" 2021\' >&2\n';
  const python = { pysparkVersion: '3.5.1' } as Python;

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

  it('is missed with what to do: Spark first, then Java', async () => {
    const refusal = async (environment: NodeJS.ProcessEnv): Promise<[string, string, string | undefined]> => {
      try {
        await requireSpark({}, undefined, environment);
      } catch (error) {
        assert.ok(isAppError(error));
        return [error.kind, error.message, error.remedy];
      }
      return assert.fail('it is there');
    };
    const sparkRemedy =
      'Install it with: python3 -m pip install pyspark. Or set SPARK_HOME, or the path of spark-submit in the settings of the local service.';
    const javaRemedy = 'Install a Java 17 runtime, so that java is on the PATH or JAVA_HOME is set.';
    assert.deepEqual(await refusal({}), [
      'unavailable',
      'Apache Spark was not found on this machine, so the run was not started.',
      sparkRemedy,
    ]);
    program('spark/bin/spark-submit');
    assert.deepEqual(await refusal({ SPARK_HOME: join(folder, 'spark') }), [
      'unavailable',
      'Spark needs Java, which was not found on this machine, so the run was not started.',
      javaRemedy,
    ]);
    assert.deepEqual(await probeSpark({}, python, {}), [
      { name: 'spark', available: false, remedy: sparkRemedy },
      { name: 'java', available: false, remedy: javaRemedy },
    ]);
    assert.deepEqual(await probeSpark({}, python, { SPARK_HOME: join(folder, 'spark') }), [
      { name: 'spark', available: false, version: '3.5.1', remedy: javaRemedy },
      { name: 'java', available: false, remedy: javaRemedy },
    ]);
    program('bin/java', version);
    const whole = { SPARK_HOME: join(folder, 'spark'), PATH: `${join(folder, 'bin')}:/bin:/usr/bin` };
    assert.deepEqual(await probeSpark({}, python, whole), [
      { name: 'spark', available: true, version: '3.5.1', remedy: undefined },
      { name: 'java', available: true, version: '17.0.1' },
    ]);
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

  for (const [master, isHere] of [
    ['local', true],
    ['local[*]', true],
    ['local-cluster[1,1,1024]', true],
    ['locale', false],
    ['spark://127.1.2.3:7077', true],
    ['spark://[::1]:7077', true],
    ['spark://localhost', true],
    ['spark://localhost,other:7077', true],
    ['spark://localhost.example:7077', false],
    ['spark://10.0.0.1:7077', false],
    ['xspark://localhost:1', false],
    ['k8s://https://127.0.0.1', false],
  ] as const)
    it(`is ${isHere ? '' : 'not '}on this machine alone with the master ${master}`, () =>
      assert.equal(isLoopbackMaster(master), isHere));
});
