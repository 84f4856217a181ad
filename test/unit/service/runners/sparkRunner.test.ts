import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunOutcome, RunRequest, RunnersOptions } from '../../../../src/service/runners/runner.ts';
import { readRunOutput } from '../../../../src/service/runners/runOutput.ts';
import { isAppError } from '../../../../src/shared/errors.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

/** In place of Spark: prints what it is given, a word on each line, and the variables that are Spark's. */
const submit = `#!/bin/sh
for word in "$@"; do printf 'word %s\\n' "$word"; done
env | grep -E '^(SPARK_|PYSPARK_|OWN)' | sort
printf 'in %s\\n' "$PWD"
mkdir -p "$SPARK_LOCAL_DIRS/blocks"
case "$*" in *fails*) echo 'Exception in thread "main" java.lang.Error: no' >&2; exit 1 ;; esac
`;

describe('the runner of Spark tasks', function () {
  this.timeout(60_000);
  let bench: Workbench;
  const { SPARK_HOME, JAVA_HOME, PATH } = process.env;
  const kept = { SPARK_HOME, JAVA_HOME, PATH };
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(async () => {
    bench = await openWorkbench();
    program('spark/bin/spark-submit', submit);
    program('java/bin/java', '#!/bin/sh\n');
    process.env['SPARK_HOME'] = join(bench.folder, 'spark');
    process.env['JAVA_HOME'] = join(bench.folder, 'java');
  });
  afterEach(async () => {
    for (const [name, value] of Object.entries(kept))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    await bench.remove();
  });
  function program(path: string, text: string): void {
    const file = join(bench.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, 0o755);
  }
  interface Ran {
    outcome: RunOutcome;
    lines: string[];
    /** What stands behind the options that every run on one machine has. */
    words: string[];
    conf: Record<string, string>;
  }
  const run = async (
    request: Partial<RunRequest> & Pick<RunRequest, 'task'>,
    options: Partial<RunnersOptions> = {},
  ): Promise<Ran> => {
    const outcome = await bench.run(request, options);
    const { text } = await readRunOutput(bench.runFolder(request.runId ?? '1'));
    const lines = text.split('\n');
    const given = lines.filter((line) => line.startsWith('word ')).map((line) => line.slice(5));
    const conf: Record<string, string> = {};
    const words: string[] = [];
    for (let at = 0; at < given.length; at += 1) {
      const [word = '', next = ''] = given.slice(at);
      if (word !== '--conf') words.push(word);
      else {
        conf[next.slice(0, next.indexOf('='))] = next.slice(next.indexOf('=') + 1);
        at += 1;
      }
    }
    return { outcome, lines, words, conf };
  };

  it('starts a JAR task with its class, the JAR, its parameters, and what the cluster says', async () => {
    await bench.write('a.jar', '');
    await bench.write('b.jar', '');
    const task = {
      spark_jar_task: { main_class_name: 'a.Main', jar_uri: '/a.jar', parameters: ['x', 'run {{run_id}}'] },
    };
    const clusterSpec = {
      new_cluster: { spark_conf: { 'spark.ui.enabled': 'true', 'spark.x': 'a=b c' }, spark_env_vars: { OWN: 'yes' } },
      libraries: [{ jar: '/a.jar' }, { jar: '/b.jar' }, { maven: { coordinates: 'g:a:1' } }],
    };
    const { outcome, words, conf, lines } = await run({ task, clusterSpec, dynamicValues: { run_id: '7' } });
    assert.deepEqual(outcome, { resultState: 'SUCCESS' });
    const [a, b] = [join(bench.root, 'a.jar'), join(bench.root, 'b.jar')];
    // The JAR of the task is not named twice.
    assert.deepEqual(words, [
      '--master',
      'local[*]',
      '--jars',
      b,
      '--packages',
      'g:a:1',
      '--class',
      'a.Main',
      a,
      'x',
      'run 7',
    ]);
    assert.deepEqual(conf, {
      'spark.jars.ivy': join(bench.dataFolder, 'ivy'),
      'spark.sql.warehouse.dir': join(bench.dataFolder, 'warehouse'),
      'spark.driver.extraJavaOptions': `-Dderby.system.home=${join(bench.dataFolder, 'derby')}`,
      'spark.ui.enabled': 'true',
      'spark.x': 'a=b c',
    });
    for (const line of [
      'OWN=yes',
      `SPARK_HOME=${join(bench.folder, 'spark')}`,
      'SPARK_LOCAL_IP=127.0.0.1',
      `in ${bench.runFolder('1')}`,
    ])
      assert.ok(lines.includes(line), `${line} in ${lines.join('\n')}`);
    const scratch = lines.find((line) => line.startsWith('SPARK_LOCAL_DIRS='))?.slice('SPARK_LOCAL_DIRS='.length) ?? '';
    assert.ok(scratch.startsWith(bench.runFolder('1')) && !existsSync(scratch), 'what it puts aside goes with the run');
  });

  it('finds the class in the libraries where the task names no JAR, and says what is missing', async () => {
    await bench.write('b.jar', '');
    const task = { spark_jar_task: { main_class_name: 'a.Main' } };
    const ofJar = await run({ task, clusterSpec: { libraries: [{ jar: '/b.jar' }] } });
    assert.deepEqual(ofJar.words, ['--master', 'local[*]', '--class', 'a.Main', join(bench.root, 'b.jar')]);
    const ofMaven = await run({ runId: '2', task, clusterSpec: { libraries: [{ maven: { coordinates: 'g:a:1' } }] } });
    assert.deepEqual(ofMaven.words.slice(2), ['--packages', 'g:a:1', '--class', 'a.Main', 'spark-internal']);
    for (const [wrong, words] of [
      [{ spark_jar_task: { main_class_name: 'a.Main' } }, /^No JAR holds the class a\.Main; nothing was run\.$/],
      [{ spark_jar_task: { jar_uri: '/b.jar' } }, /^The JAR task names no main class; nothing was run\.$/],
    ] as const)
      await assert.rejects(
        run({ task: wrong }),
        (error) =>
          isAppError(error) && error.kind === 'invalid' && words.test(error.message) && error.remedy !== undefined,
      );
  });

  it('gives a spark-submit task what it says itself, on the master of the settings', async () => {
    await bench.write('b.jar', '');
    await bench.write('main.py', '');
    const parameters = ['--conf', 'spark.jars.ivy=/own', '--jars', '/b.jar', '/main.py', 'x'];
    const { words, conf } = await run(
      {
        task: { spark_submit_task: { parameters } },
        clusterSpec: { new_cluster: { spark_conf: { 'spark.x': 'no' } }, libraries: [{ jar: '/b.jar' }] },
      },
      { spark: { master: 'spark://cluster:7077' } },
    );
    assert.deepEqual(words, [
      '--master',
      'spark://cluster:7077',
      '--jars',
      join(bench.root, 'b.jar'),
      join(bench.root, 'main.py'),
      'x',
    ]);
    assert.deepEqual([conf['spark.jars.ivy'], conf['spark.x'], conf['spark.ui.enabled']], ['/own', undefined, 'false']);
  });

  it('takes a Python file to Spark where it, its cluster or the settings ask for that, and else to Python', async function () {
    await bench.write('spark.py', '# x\nfrom pyspark.sql import SparkSession\n');
    await bench.write('delta.py', 'import delta\n');
    await bench.write('plain.py', 'text = """\n  import pyspark"""\nprint("by Python")\n');
    await bench.write('b.jar', '');
    const isSpark = async (
      file: string,
      more: Partial<RunRequest> = {},
      options: Partial<RunnersOptions> = {},
    ): Promise<boolean> => {
      const { words, lines, outcome } = await run(
        { task: { spark_python_task: { python_file: file, parameters: ['p'] } }, ...more },
        options,
      );
      assert.equal(outcome.resultState, 'SUCCESS');
      if (words.length === 0) return lines.includes('by Python') ? false : assert.fail(lines.join('\n'));
      assert.deepEqual(words.slice(-2), [join(bench.root, file), 'p']);
      assert.ok(lines.includes(`in ${bench.root}`), 'in the folder of the file');
      return true;
    };
    assert.equal(await isSpark('/spark.py'), true);
    assert.equal(await isSpark('/delta.py', { runId: '2' }), true);
    assert.equal(await isSpark('/plain.py', { runId: '3' }), false);
    assert.equal(await isSpark('/plain.py', { runId: '4', clusterSpec: { libraries: [{ jar: '/b.jar' }] } }), true);
    assert.equal(
      await isSpark(
        '/plain.py',
        { runId: '5' },
        { spark: { sparkSubmit: join(bench.folder, 'spark/bin/spark-submit') } },
      ),
      true,
    );
    assert.equal(
      await isSpark('/plain.py', { runId: '6' }, { spark: { sparkSubmit: join(bench.folder, 'nowhere') } }),
      false,
    );
  });

  it('tells why a program failed, and what is missing for any', async () => {
    await bench.write('b.jar', '');
    const task = { spark_jar_task: { main_class_name: 'a.Main', jar_uri: '/b.jar', parameters: ['fails'] } };
    const { outcome } = await run({ task });
    assert.deepEqual([outcome.resultState, outcome.error], ['FAILED', 'java.lang.Error: no']);
    Object.assign(process.env, { PATH: '', JAVA_HOME: '' });
    await assert.rejects(run({ runId: '2', task }), /Spark needs Java, which was not found/);
  });
});
