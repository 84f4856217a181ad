import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRunners } from '../../src/service/runners/createRunners.ts';
import { readNotebook } from '../../src/service/runners/notebookModel.ts';
import { listProcesses, selectTree } from '../../src/service/runners/processTree.ts';
import { examinePython } from '../../src/service/runners/python.ts';
import type { RunnersOptions } from '../../src/service/runners/runner.ts';
import { readRunOutput } from '../../src/service/runners/runOutput.ts';
import { isAppError } from '../../src/shared/errors.ts';
import { leftOf, openWorkbench, until, type Workbench } from '../unit/service/runners/workbench.ts';
import { commandWorks, skipBecause } from './engineEnvironment.ts';
import { startSparkCluster, type SparkCluster } from './sparkCluster.ts';
import { sparkEnvironment } from './sparkEnvironment.ts';

const pythonJob = `
from pyspark.sql import SparkSession
import sys
spark = SparkSession.builder.getOrCreate()
total = spark.range(int(sys.argv[1])).selectExpr("sum(id)").first()[0]
print("total", total, spark.sparkContext.master, spark.conf.get("spark.millrace.test", "unset"))
if sys.argv[-1] == "fail":
    raise ValueError("asked to fail")
`;

const executorsJob = `
import os, time
from pyspark.sql import SparkSession
context = SparkSession.builder.getOrCreate().sparkContext
until = time.time() + 60
while context._jsc.sc().getExecutorMemoryStatus().size() < 3 and time.time() < until:
    time.sleep(0.2)
print("executors", context._jsc.sc().getExecutorMemoryStatus().size() - 1)
print("sum", context.parallelize(range(100), 8).map(lambda x: x * 2).sum())
`;

const javaSource = `
import org.apache.spark.sql.SparkSession;
public class Mill {
  public static void main(String[] parameters) {
    SparkSession spark = SparkSession.builder().getOrCreate();
    System.out.println("count " + spark.range(Long.parseLong(parameters[0])).count() + " of " + String.join(",", parameters));
    if (parameters.length > 1 && parameters[1].equals("fail")) throw new IllegalStateException("asked to fail");
    spark.stop();
  }
}
`;

describe('Apache Spark', function () {
  this.timeout(300_000);
  let bench: Workbench;
  let python: string;
  let sparkHome: string;
  let options: Partial<RunnersOptions>;
  let hasCompiler: boolean;

  before(async function () {
    if (!(await commandWorks('java', ['-version']))) skipBecause(this, 'there is no Java on this machine');
    const environment = await sparkEnvironment();
    if ('reason' in environment) skipBecause(this, environment.reason);
    python = environment.python;
    options = { python };
    const examined = await examinePython(python);
    sparkHome = (examined as { pysparkHome: string }).pysparkHome;
    hasCompiler = await commandWorks('javac', ['-version']);
    bench = await openWorkbench();
    await bench.write('job.py', pythonJob);
    if (!hasCompiler) return;
    const classes = join(bench.folder, 'classes');
    await mkdir(classes);
    await mkdir(join(bench.dataFolder, 'dfs'), { recursive: true });
    await writeFile(join(bench.folder, 'Mill.java'), javaSource);
    execFileSync('javac', ['-cp', join(sparkHome, 'jars', '*'), '-d', classes, join(bench.folder, 'Mill.java')]);
    execFileSync('jar', ['cf', join(bench.dataFolder, 'dfs', 'mill.jar'), '-C', classes, '.']);
  });
  after(async () => {
    await bench?.remove();
  });
  const output = async (runId: string): Promise<string> => (await readRunOutput(bench.runFolder(runId))).text;
  /** A run's log but for two lines of the JVM's own, which cannot be turned off. */
  const lines = async (runId: string): Promise<string[]> =>
    (await output(runId)).split('\n').filter((line) => !/^(Picked up|WARNING: Using incubator)/.test(line));

  it('is found, with its version', async () => {
    const engines = await createRunners({ root: bench.root, dataFolder: bench.dataFolder, python }).probe();
    assert.deepEqual(
      engines
        .filter((each) => each.available)
        .map((each) => each.name)
        .filter((name) => name !== 'jupyter'),
      ['python', 'spark', 'java'],
    );
    assert.equal(engines.find((each) => each.name === 'spark')!.version, '4.0.5');
  });

  it("runs a Python file with parameters and spark_conf, and logs only the program's output", async () => {
    const outcome = await bench.run(
      {
        runId: 'python',
        task: { spark_python_task: { python_file: '/job.py', parameters: ['1000'] } },
        clusterSpec: { new_cluster: { spark_conf: { 'spark.millrace.test': 'set here' } } },
      },
      options,
    );
    assert.equal(outcome.resultState, 'SUCCESS', await output('python'));
    assert.deepEqual(await lines('python'), ['total 499500 local[*] set here', '']);
    assert.deepEqual((await readdir(bench.root)).sort(), ['job.py'], 'nothing of Spark is left in the workspace');
  });

  it("names the error of a failing Python file among Spark's logs, if the job enables them", async () => {
    const outcome = await bench.run(
      {
        runId: 'failing',
        task: { spark_python_task: { python_file: '/job.py', parameters: ['10', 'fail'] } },
        clusterSpec: { new_cluster: { spark_conf: { 'spark.log.level': 'INFO' } } },
      },
      options,
    );
    assert.ok((await lines('failing')).some((line) => / INFO /.test(line)));
    assert.equal(outcome.resultState, 'FAILED');
    assert.equal(outcome.error, 'ValueError: asked to fail');
    assert.match(outcome.errorTrace!, /ValueError: asked to fail$/);
  });

  it('runs a JAR library, and names the error that ended it', async function () {
    if (!hasCompiler) skipBecause(this, 'there is no javac on this machine');
    const clusterSpec = { libraries: [{ jar: 'dfs:/mill.jar' }] };
    const task = { spark_jar_task: { main_class_name: 'Mill', parameters: ['7'] } };
    const outcome = await bench.run(
      {
        runId: 'jar',
        task,
        clusterSpec,
        parameters: { jar_params: ['42', 'fail', '{{run_id}}'] },
        dynamicValues: { run_id: '9007199254740993' },
      },
      options,
    );
    assert.match(await output('jar'), /^count 42 of 42,fail,9007199254740993$/m);
    assert.equal(outcome.resultState, 'FAILED');
    assert.equal(outcome.error, 'java.lang.IllegalStateException: asked to fail');
  });

  it('names why spark-submit gave up', async function () {
    if (!hasCompiler) skipBecause(this, 'there is no javac on this machine');
    const cluster = { libraries: [{ jar: 'dfs:/mill.jar' }] };
    const errorOf = async (runId: string, task: object, clusterSpec = {}): Promise<string | undefined> =>
      (await bench.run({ runId, task, clusterSpec }, options)).error;
    assert.match(
      (await errorOf('e1', { spark_jar_task: { main_class_name: 'Nope' } }, cluster))!,
      / Error: Failed to load class Nope\.$/,
    );
    assert.match(
      (await errorOf('e3', { spark_submit_task: { parameters: ['--clas', 'Mill', 'dfs:/mill.jar'] } }))!,
      / Error: Unrecognized option: --clas$/,
    );
  });

  it('runs a SQL notebook, whose tables are shown and read by Python', async () => {
    await bench.write(
      'table.sql',
      [
        '-- Databricks notebook source\ncreate or replace temporary view t as select id * 2 as twice from range(3)',
        'select * from t order by 1',
        '-- MAGIC %python\n-- MAGIC print("first", spark.table("t").count())\n-- MAGIC dbutils.notebook.exit(_sqldf.first()["twice"])\n',
      ].join('\n\n-- COMMAND ----------\n\n'),
    );
    const outcome = await bench.run({ runId: 'sql', task: { notebook_task: { notebook_path: '/table' } } }, options);
    assert.deepEqual([outcome.resultState, outcome.notebookResult?.result], ['SUCCESS', '0'], outcome.errorTrace);
    const outputs = (await readNotebook(bench.runFolder('sql')))!.cells.flatMap((cell) => cell.outputs);
    const table = outputs.find((each) => each.type === 'data' && each.data['text/plain'] === 'twice\n0\n2\n4');
    assert.ok(table?.type === 'data' && String(table.data['text/html']).includes('<th>twice</th>'));
    assert.deepEqual(await lines('sql'), ['first 3', '']);
    assert.equal(await leftOf(bench), 0);
  });

  it('runs spark-submit parameters with the paths of the API', async function () {
    if (!hasCompiler) skipBecause(this, 'there is no javac on this machine');
    const outcome = await bench.run(
      {
        runId: 'submit',
        task: {
          spark_submit_task: {
            parameters: ['--class', 'Mill', '--conf', 'spark.sql.shuffle.partitions=1', 'dfs:/mill.jar', '5', 'x'],
          },
        },
      },
      options,
    );
    assert.equal(outcome.resultState, 'SUCCESS', await output('submit'));
    assert.match(await output('submit'), /^count 5 of 5,x$/m);
  });

  it('downloads Maven libraries, also for a Python file', async function () {
    const central = await fetch('https://repo1.maven.org/maven2/org/jsoup/jsoup/1.17.2/jsoup-1.17.2.pom', {
      signal: AbortSignal.timeout(10_000),
    }).then(
      (response) => response.ok,
      () => false,
    );
    if (!central) skipBecause(this, 'Maven Central cannot be reached from this machine');
    await bench.write(
      'maven.py',
      'from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\nprint("text", spark._jvm.org.jsoup.Jsoup.parse("<b>x</b>").text())',
    );
    const outcome = await bench.run(
      {
        runId: 'maven',
        task: { spark_python_task: { python_file: '/maven.py' } },
        clusterSpec: {
          libraries: [{ maven: { coordinates: 'org.jsoup:jsoup:1.17.2', exclusions: ['org.jspecify:jspecify'] } }],
        },
      },
      options,
    );
    assert.equal(outcome.resultState, 'SUCCESS', await output('maven'));
    assert.match(await output('maven'), /^text x$/m);
  });

  it('names what is missing', async () => {
    await assert.rejects(
      bench.run(
        { runId: 'missing', task: { spark_jar_task: { main_class_name: 'Mill', jar_uri: 'dfs:/mill.jar' } } },
        { spark: { sparkSubmit: '/nowhere/spark-submit' } },
      ),
      (error) =>
        isAppError(error) &&
        error.kind === 'unavailable' &&
        /Spark was not found/.test(error.message) &&
        /pip install pyspark/.test(error.remedy!),
    );
  });

  describe('A standalone master with two workers', () => {
    let cluster: SparkCluster;
    before(async () => {
      cluster = await startSparkCluster(sparkHome, 2, bench.folder);
    });
    after(async () => {
      await cluster?.stop();
    });
    const small = { new_cluster: { spark_conf: { 'spark.executor.memory': '500m' } } };
    const onCluster = (): Partial<RunnersOptions> => ({ ...options, spark: { master: cluster.master } });
    const executors = async (): Promise<number> => {
      const all = await listProcesses();
      const workers = all.filter((each) => cluster.workers.includes(each.pid));
      return selectTree(all, workers).length - workers.length;
    };

    it('runs a Python file on both workers', async () => {
      await bench.write('executors.py', executorsJob);
      const outcome = await bench.run(
        { runId: 'executors', task: { spark_python_task: { python_file: '/executors.py' } }, clusterSpec: small },
        onCluster(),
      );
      assert.equal(outcome.resultState, 'SUCCESS', await output('executors'));
      assert.match(await output('executors'), /^executors 2$/m);
      assert.match(await output('executors'), /^sum 9900$/m);
    });

    it('leaves neither a driver nor an executor when it is canceled', async () => {
      await bench.write(
        'long.py',
        `${pythonJob}\nimport time\nspark.sparkContext.parallelize([1, 2], 2).foreach(lambda x: time.sleep(600))\n`,
      );
      const controller = new AbortController();
      const running = bench.run(
        {
          runId: 'cancelled',
          task: { spark_python_task: { python_file: '/long.py', parameters: ['10'] } },
          clusterSpec: small,
        },
        { ...onCluster(), signal: controller.signal },
      );
      await until(async () => (await output('cancelled')).includes('total') && (await executors()) >= 2);
      controller.abort();
      assert.equal((await running).resultState, 'CANCELED');
      assert.equal(await leftOf(bench), 0);
      await until(async () => (await executors()) === 0);
    });
  });
});
