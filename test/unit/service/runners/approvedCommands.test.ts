import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { createRunners } from '../../../../src/service/runners/createRunners.ts';
import type { RunRequest, Runners } from '../../../../src/service/runners/runner.ts';
import type { AppError } from '../../../../src/shared/errors.ts';
import { assertApproved } from '../../../support/approved.ts';
import { root } from '../../../support/paths.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

/**
 * In place of Python, Spark and R: says how it was called. As Python it tells what it is when it is examined, and it ends as a parameter
 * asks it to.
 */
const program = (told: object): string => `#!/bin/sh
case "$*" in *examine_python.py*) printf '@%s\\n' '${JSON.stringify(told)}'; exit 0 ;; esac
echo "call $0"
for word in "$@"; do echo "  word $word"; done
echo "  in $PWD"
env | sort | sed 's/^/  env /'
case "$*" in
  *--exit*) exit 3 ;;
  *--kill*) kill -KILL $$ ;;
  *--traceback*) printf 'Traceback (most recent call last):\\n  File "a.py", line 1, in f\\nValueError: no\\n' >&2; exit 1 ;;
  *--java*) printf 'Exception in thread "main" java.lang.Error: no\\n\\tat A.b(A.java:1)\\n' >&2; exit 1 ;;
  *broken-package*) echo 'ERROR: none of that name' >&2; exit 1 ;;
esac
`;

const python = { spark_python_task: { python_file: '/jobs/a.py', parameters: ['{{job_id}}', 'b c'] } };
const spark = { spark_python_task: { python_file: '/jobs/spark.py' } };
const jar = { spark_jar_task: { main_class_name: 'com.Main', jar_uri: 'dfs:/main.jar', parameters: ['x'] } };
const cluster = { spark_version: '15.4.x-scala2.12', node_type_id: 'm', num_workers: 1 };
const on = (more: object): Partial<RunRequest> => ({ clusterSpec: { new_cluster: { ...cluster, ...more } } });
const withLibraries = (...libraries: object[]): Partial<RunRequest> => ({
  clusterSpec: { existing_cluster_id: 'local', libraries },
});
const asks = (...parameters: string[]): RunRequest['task'] => ({
  spark_python_task: { python_file: '/jobs/a.py', parameters },
});

const requests: Record<string, Partial<RunRequest> & Pick<RunRequest, 'task'>> = {
  'a Python file': { task: python, dynamicValues: { job_id: '7' } },
  'a Python file with the parameters of the run': {
    task: python,
    parameters: { python_params: ['own', '{{run_id}}'] },
  },
  'a Python file that is missing': { task: { spark_python_task: { python_file: '/jobs/none.py' } } },
  'a Python file on a cluster': {
    task: python,
    ...on({ spark_env_vars: { OWN: '1', PYTHONPATH: '/mine' }, spark_conf: { a: 'b' } }),
  },
  'a Python file with an egg': { task: python, ...withLibraries({ egg: 'dfs:/a.egg' }) },
  'a Python file with an egg and a path': {
    task: python,
    clusterSpec: {
      new_cluster: { ...cluster, spark_env_vars: { PYTHONPATH: '/mine' } },
      libraries: [{ egg: 'dfs:/a.egg' }],
    },
  },
  'a Python file with libraries': {
    task: python,
    ...withLibraries(
      { pypi: { package: ' one==1 ' } },
      { pypi: { package: 'two', repo: 'https://repo' } },
      { pypi: { package: 'three', repo: 'https://repo' } },
      { whl: 'dfs:/w-1-py3-none-any.whl' },
      { whl: 'dfs:/all.wheelhouse.zip' },
      { cran: { package: 'r1' } },
      { cran: { package: 'r2', repo: 'https://cran' } },
    ),
  },
  'a library that there is not': { task: python, ...withLibraries({ pypi: { package: 'broken-package' } }) },
  'a library that is an option': { task: python, ...withLibraries({ pypi: { package: '-r x' } }) },
  'a library whose file is missing': { task: python, ...withLibraries({ whl: 'dfs:/none.whl' }) },
  'Maven coordinates that are none': { task: python, ...withLibraries({ maven: { coordinates: 'a:b' } }) },
  'a Python file for Spark': { task: spark, ...on({ spark_conf: { 'spark.ui.enabled': 'true', own: '1' } }) },
  'a Python file for Spark by its libraries': {
    task: python,
    ...withLibraries(
      { jar: 'dfs:/lib.jar' },
      { maven: { coordinates: 'g:a:1', repo: 'https://maven', exclusions: ['x:y'] } },
      { maven: { coordinates: 'g:b:1:c:d' } },
    ),
  },
  'a JAR': { task: jar, ...withLibraries({ jar: 'dfs:/main.jar' }, { jar: 'dfs:/lib.jar' }) },
  'a JAR with the parameters of the run': { task: jar, parameters: { jar_params: ['y'] } },
  'a JAR of the libraries': {
    task: { spark_jar_task: { main_class_name: 'M' } },
    ...withLibraries({ jar: 'dfs:/lib.jar' }),
  },
  'a JAR of Maven': {
    task: { spark_jar_task: { main_class_name: 'M' } },
    ...withLibraries({ maven: { coordinates: 'g:a:1' } }),
  },
  'a JAR that is nowhere': { task: { spark_jar_task: { main_class_name: 'M' } } },
  'a JAR without a class': { task: { spark_jar_task: { jar_uri: 'dfs:/main.jar' } } },
  'spark-submit': {
    task: {
      spark_submit_task: {
        parameters: ['--class', 'M', '--conf', 'spark.ui.enabled=true', 'dfs:/main.jar', '{{run_id}}'],
      },
    },
    dynamicValues: { run_id: '5' },
    ...on({ spark_conf: { none: '1' } }),
  },
  'spark-submit with the parameters of the run': {
    task: { spark_submit_task: { parameters: ['dfs:/main.jar'] } },
    parameters: { spark_submit_params: ['/jobs/spark.py', 'z'] },
  },
  'a program that fails': { task: asks('--exit') },
  'a program that is killed': { task: asks('--kill') },
  'a program with a traceback': { task: asks('--traceback') },
  'a Java program that fails': {
    task: { spark_jar_task: { main_class_name: 'M', jar_uri: 'dfs:/main.jar', parameters: ['--java'] } },
  },
  'init scripts and logs': {
    task: python,
    clusterId: 'c1',
    ...on({
      init_scripts: [
        { workspace: { destination: '/init/one.sh' } },
        { file: { destination: 'file:<root>/init/two.sh' } },
      ],
      cluster_log_conf: { dfs: { destination: 'dfs:/logs///' } },
      spark_env_vars: { OWN: '1' },
    }),
  },
  'an init script that fails': {
    task: python,
    ...on({ init_scripts: [{ dfs: { destination: 'dfs:/bad.sh' } }, { dfs: { destination: 'dfs:/no.sh' } }] }),
  },
  'an init script that is missing': {
    task: python,
    ...on({ init_scripts: [{ objstore: { destination: 'objstore://b/x.sh' } }] }),
  },
  'an init script without a name': { task: python, ...on({ init_scripts: [{ dfs: {} }] }) },
  'logs that have no place': { task: python, ...on({ cluster_log_conf: { dfs: { destination: 'dfs:/lib.jar/x' } } }) },
  'a notebook': {
    task: { notebook_task: { notebook_path: '/jobs/n', base_parameters: { a: '{{run_id}}', b: '2' } } },
    parameters: { notebook_params: { b: '3', c: '4' } },
    dynamicValues: { run_id: '9' },
    ...on({ spark_env_vars: { OWN: '1' } }),
  },
  'a notebook that is missing': { task: { notebook_task: { notebook_path: '/jobs/none' } } },
  'a pipeline': { task: { pipeline_task: { pipeline_id: 'mill' } } },
  'a pipeline that fails': { task: { pipeline_task: { pipeline_id: 'bad' } } },
  'a pipeline that is missing': { task: { pipeline_task: { pipeline_id: 'none' } } },
  'a pipeline that leaves its folder': { task: { pipeline_task: { pipeline_id: '../x' } } },
  'no task': { task: {} },
  'a list of tasks': { task: { tasks: [] } as never },
};

describe('what is run for a task', function () {
  this.timeout(60_000);
  let bench: Workbench;
  let runners: Runners;
  const { ...kept } = process.env;
  before(async function () {
    if (process.platform !== 'linux') this.skip();
    bench = await openWorkbench();
    const tool = (name: string): string => join(bench.folder, 'tools', name);
    const told = {
      ...{ command: tool('python3'), version: '3.12.1', baseCommand: tool('python3'), packagesPath: 'lib/py' },
      ...{
        parentPackages: null,
        seesSystem: true,
        nbclient: null,
        sitePackages: [],
        pysparkHome: null,
        pysparkVersion: '4.0.0',
      },
    };
    for (const name of ['python3', 'bin/spark-submit', 'bin/java', 'Rscript']) {
      await mkdir(dirname(tool(name)), { recursive: true });
      await writeFile(tool(name), program(told));
      await chmod(tool(name), 0o755);
    }
    const files = {
      'jobs/a.py': 'print(1)\n',
      'jobs/n.py': '# Databricks notebook source\nprint(1)\n',
      'jobs/spark.py': 'from pyspark.sql import SparkSession\n',
      'init/one.sh': 'echo one $OWN\n',
      'init/two.sh': 'echo two >&2\n',
      'pipelines/mill.yml': 'name: mill\nlibraries:\n  - file: {path: /jobs/a.py}\n  - file: {path: /jobs/spark.py}\n',
      'pipelines/bad.json': '{"libraries":[{"file":{"path":"/jobs/none.py"}}]}',
    };
    for (const [path, text] of Object.entries(files)) await bench.write(path, text);
    for (const name of [
      'main.jar',
      'lib.jar',
      'a.egg',
      'w-1-py3-none-any.whl',
      'all.wheelhouse.zip',
      'bad.sh',
      'no.sh',
    ])
      await bench.write(
        relative(bench.root, join(bench.dataFolder, 'dfs', name)),
        name === 'bad.sh' ? 'echo why >&2; exit 4\n' : 'x\n',
      );
    // Whatever else the machine has set would be handed on.
    for (const name of Object.keys(kept)) Reflect.deleteProperty(process.env, name);
    const tools = join(bench.folder, 'tools');
    Object.assign(process.env, {
      SPARK_HOME: tools,
      JAVA_HOME: tools,
      PATH: `${tools}:${kept['PATH']}`,
      HOME: '/home/me',
    });
    runners = createRunners({ ...bench, python: tool('python3'), notebookEngine: 'builtin', graceInMs: 500 });
  });
  after(async () => {
    restore();
    await (bench as Workbench | undefined)?.remove();
  });
  const restore = (): void => {
    Object.assign(process.env, kept);
    for (const name of Object.keys(process.env)) if (!(name in kept)) Reflect.deleteProperty(process.env, name);
  };

  it('is as approved, with all that it is given, and what becomes of it', async () => {
    const texts: string[] = [];
    const all = [...Object.entries(requests)];
    const work = async (): Promise<void> => {
      for (let next = all.shift(); next; next = all.shift()) {
        const at = Object.keys(requests).indexOf(next[0]);
        texts[at] = `--- ${next[0]}\n${plain(await run(String(at + 1), next[1]))}`;
      }
    };
    await Promise.all(Array.from({ length: 6 }, work));
    restore();
    assertApproved('runner-commands', texts.join(''));
  });

  async function run(runId: string, asked: Partial<RunRequest> & Pick<RunRequest, 'task'>): Promise<string> {
    const real = JSON.parse(JSON.stringify(asked).replaceAll('<root>', bench.root)) as typeof asked;
    const request = bench.request({ runId, ...real });
    const lines: string[] = [];
    try {
      const { signal } = new AbortController();
      const events = { onStarted: () => void lines.push('started'), onSpawned: () => void lines.push('a process') };
      lines.push(JSON.stringify(await runners.forTask(request.task).run(request, events, { signal }), undefined, 1));
    } catch (error) {
      const { kind, message, remedy } = error as AppError;
      lines.push(`${kind}: ${message} (${remedy})`);
    }
    const left = await filesIn(request.folder);
    const logs = await filesIn(join(bench.dataFolder, 'dfs', 'logs', request.clusterId));
    for (const file of [...left, ...logs]) lines.push(`file ${file}:`, await textOf(file));
    return lines.join('\n');
  }

  /** What came through two pipes stands in no certain order. */
  const textOf = async (file: string): Promise<string> => {
    const text = await readFile(file, 'utf8');
    const isBoth = /(?:output|setup|init_\w+)\.log$/.test(basename(file));
    return isBoth
      ? text
          .split('\n')
          .toSorted((one, other) => Number(isOfErrors(one)) - Number(isOfErrors(other)))
          .join('\n')
      : text;
  };
  const isOfErrors = (line: string): boolean => !/^(?:call| {2}(?:word|in|env)) /.test(line);

  const filesIn = async (folder: string): Promise<string[]> => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : [])).toSorted();
  };

  /** Without what is of this machine and not of the run. */
  function plain(text: string): string {
    return `${text}\n`
      .replace(/^ {2}env (?:PWD|OLDPWD|SHLVL|_)=.*\n/gm, '')
      .replaceAll(kept['PATH'] ?? '', '<PATH>')
      .replaceAll(bench.folder, '<bench>')
      .replaceAll(`${root}/`, '')
      .replace(/environments\/[0-9a-f]{24}/g, 'environments/<set>')
      .replace(/(MILLRACE_RUN=)\w+/g, '$1<mark>')
      .replace(/tools\/[0-9a-f]{16}\//g, 'tools/<version>/');
  }
});
