import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileMap } from '../../../../src/service/base/fileMap.ts';
import { outputGrowth } from '../../../../src/service/runners/outputLog.ts';
import { createPipelineRunner } from '../../../../src/service/runners/pipelineRunner.ts';
import type { Runner, RunOutcome, RunRequest } from '../../../../src/service/runners/runner.ts';
import { isAppError } from '../../../../src/shared/errors.ts';

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

  it('is refused where its file says nothing that can be run', async () => {
    write('broken.yml', 'libraries: [');
    const [kind, message, remedy] = await refusal('broken');
    assert.deepEqual([kind, remedy], ['invalid', 'Correct the file.']);
    assert.ok(message.startsWith(`The pipeline ${join(root, 'pipelines', 'broken.yml')} cannot be read: `));
    write('json.json', 'libraries: []');
    assert.match((await refusal('json'))[1], /json\.json cannot be read: .*JSON/);
    for (const text of [
      '{}',
      'libraries: []',
      'libraries: [{jar: x}]',
      'libraries: [{file: {path: a.py}}]',
      '5',
      `name: 5\n${two}`,
    ]) {
      write('odd.yml', text);
      const [oddKind, oddMessage, oddRemedy] = await refusal('odd');
      assert.equal(oddKind, 'invalid');
      assert.match(oddMessage, /odd\.yml was not run: /, text);
      assert.match(oddRemedy ?? '', /^List what it runs, such as: libraries: /);
    }
    assert.deepEqual(steps, []);
  });
});
