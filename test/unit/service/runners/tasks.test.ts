import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
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
import { outputGrowth } from '../../../../src/service/runners/outputLog.ts';
import { createPipelineRunner } from '../../../../src/service/runners/pipelineRunner.ts';
import type { Runner, RunOutcome, RunRequest } from '../../../../src/service/runners/runner.ts';
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

describe('a pipeline', () => {
  let root: string;
  let folder: string;
  let steps: unknown[][];
  let outcomes: RunOutcome[];
  let starts: number;
  let grown: number;
  const { signal } = new AbortController();
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-pipeline-')));
    mkdirSync(join(root, 'pipelines'));
    folder = join(root, 'data', 'runs', '4');
    [steps, outcomes, starts, grown] = [[], [], 0, 0];
  });
  afterEach(() => rmSync(root, { recursive: true }));

  /** Prints its number; a notebook exits with it, too. */
  const runner = (kind: 'notebook' | 'file'): Runner => ({
    run: async (request, events, options) => {
      assert.equal(options.signal, signal);
      const { task, folder: own, parameters, runId } = request;
      steps.push([kind, task, own, parameters, runId]);
      events.onStarted();
      events.onSpawned?.({ pid: steps.length, startTime: '' });
      mkdirSync(own, { recursive: true });
      writeFileSync(join(own, 'output.log'), `printed ${steps.length}\n`);
      if (kind === 'notebook') {
        writeFileSync(join(own, 'request.json'), '{}');
        writeFileSync(join(own, 'events.jsonl'), JSON.stringify({ event: 'exit', value: `value ${steps.length}` }));
      }
      return outcomes.shift() ?? { resultState: 'SUCCESS' };
    },
  });
  const spawned: number[] = [];
  const run = (id: string | undefined): Promise<RunOutcome> => {
    spawned.length = 0;
    const stop = outputGrowth.listen(join(folder, 'output.log'), () => (grown += 1));
    return createPipelineRunner({
      files: createFileMap({ root, dataFolder: join(root, 'data') }),
      notebook: runner('notebook'),
      pythonFile: runner('file'),
    })
      .run(
        {
          runId: '4',
          folder,
          parameters: { python_params: ['x'] },
          task: { pipeline_task: { pipeline_id: id } },
        } as unknown as RunRequest,
        { onStarted: () => (starts += 1), onSpawned: ({ pid }) => void spawned.push(pid) },
        { signal },
      )
      .finally(stop);
  };
  const write = (name: string, text: string): void => writeFileSync(join(root, 'pipelines', name), text);
  const refusal = async (id: string | undefined): Promise<[string, string, string | undefined]> => {
    try {
      await run(id);
    } catch (error) {
      assert.ok(isAppError(error), String(error));
      return [error.kind, error.message, error.remedy];
    }
    return assert.fail('it was run');
  };
  const two = 'libraries: [{notebook: {path: /a}}, {file: {path: /b.py}}]';

  it('runs what it lists one after the other, each in a folder of its own, and starts once', async () => {
    write('etl.yml', `name: etl\nconfiguration: {day: 5, on: true}\n${two}\nclusters: []\n`);
    assert.deepEqual(await run('etl'), { resultState: 'SUCCESS', stateMessage: 'The pipeline ran 2 steps.' });
    assert.deepEqual(steps, [
      [
        'notebook',
        { notebook_task: { notebook_path: '/a', base_parameters: { day: '5', on: 'true' } } },
        join(folder, 'steps', '1'),
        {},
        '4',
      ],
      ['file', { spark_python_task: { python_file: '/b.py' } }, join(folder, 'steps', '2'), {}, '4'],
    ]);
    assert.deepEqual([starts, grown, spawned], [1, 2, [1, 2]]);
    assert.equal(
      readFileSync(join(folder, 'output.log'), 'utf8'),
      '--- Step 1: /a\nprinted 1\nExit value: value 1\n--- Step 2: /b.py\nprinted 2\n',
    );
  });

  it('ends with the first step that does, in its words', async () => {
    write('etl.yml', two);
    outcomes = [
      { resultState: 'FAILED', stateMessage: 'It exited.', error: 'ValueError', errorTrace: 'at 1', note: 'n' },
    ];
    assert.deepEqual(await run('etl'), {
      resultState: 'FAILED',
      stateMessage: 'Step 1 (/a): It exited.',
      error: 'ValueError',
      errorTrace: 'at 1',
    });
    assert.equal(steps.length, 1);
    assert.match(
      readFileSync(join(folder, 'output.log'), 'utf8'),
      /^--- Step 1: \/a\nprinted 1\nExit value: value 1\n$/,
    );
    outcomes = [{ resultState: 'SUCCESS' }, { resultState: 'CANCELED' }];
    const { resultState, stateMessage } = await run('etl');
    assert.deepEqual([resultState, stateMessage], ['CANCELED', 'Step 2 (/b.py): CANCELED']);
  });

  it('is a file of its name: .yml before .yaml before .json', async () => {
    const of = (path: string): string => JSON.stringify({ libraries: [{ file: { path } }] });
    const ran = async (): Promise<unknown> => {
      steps.length = 0;
      await run('my etl-1.x');
      return (steps[0]?.[1] as RunRequest['task'] | undefined)?.spark_python_task?.python_file;
    };
    write('my etl-1.x.json', of('/json.py'));
    assert.equal(await ran(), '/json.py');
    write('my etl-1.x.yaml', of('/yaml.py'));
    assert.equal(await ran(), '/yaml.py');
    write('my etl-1.x.yml', of('/yml.py'));
    assert.equal(await ran(), '/yml.py');
  });

  it('is refused where it is none, has no name, or one that no file has', async () => {
    assert.deepEqual(await refusal('none'), [
      'notFound',
      'The pipeline none was not found; nothing was run.',
      `Write what it runs into ${join(root, 'pipelines', 'none.yml')}.`,
    ]);
    for (const id of [undefined, ''])
      assert.deepEqual(await refusal(id), [
        'invalid',
        'The pipeline task names no pipeline; nothing was run.',
        'Set pipeline_id.',
      ]);
    for (const id of ['../etl', 'a/b', '.hidden', ' a', 'a\n'])
      assert.deepEqual(await refusal(id), [
        'invalid',
        `The pipeline ${JSON.stringify(id)} was not run: its name has characters that a file name here may not have.`,
        'Use letters, digits, dots, dashes and underscores.',
      ]);
  });
});
