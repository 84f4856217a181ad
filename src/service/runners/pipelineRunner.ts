import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { decodeChecked, formatProblems } from '../../api/schema/problems.ts';
import { AppError } from '../../shared/errors.ts';
import type { FileMap } from '../base/fileMap.ts';
import { readNotebook } from './notebookModel.ts';
import { outputGrowth } from './outputLog.ts';
import type { Runner, RunnerEvents, RunOutcome, RunRequest } from './runner.ts';
import { readRunOutput, runFiles } from './runOutput.ts';

const pathOf = z.object({ path: z.string().startsWith('/', { error: 'must start with a slash' }) });

/** Fields of a pipeline's definition that are used here. Other fields are ignored. */
const definition = z.looseObject({
  name: z.string().optional(),
  /** Passed to each notebook as its parameters. */
  configuration: z.record(z.string(), z.coerce.string()).optional(),
  /** Run one after another, in this order. */
  libraries: z.array(z.union([z.object({ notebook: pathOf }), z.object({ file: pathOf })])).min(1),
});

export interface PipelineRunnerOptions {
  readonly files: FileMap;
  readonly notebook: Runner;
  readonly pythonFile: Runner;
}

/**
 * Creates the runner of pipelines (Jobs API 2.0, PipelineTask) in their simplest form: it runs the notebooks and Python files that
 * `/pipelines/<id>.yml`, `.yaml` or `.json` of the workspace lists in their order, and the first failure ends it. Unlike a real workspace,
 * it does not create or update declared tables.
 */
export function createPipelineRunner(options: PipelineRunnerOptions): Runner {
  async function read(id: string): Promise<z.output<typeof definition>> {
    const path = await find(options.files, id);
    const text = await readFile(path, 'utf8');
    let value: unknown;
    try {
      value = path.endsWith('.json') ? JSON.parse(text) : parse(text, { maxAliasCount: 100 });
    } catch (error) {
      throw new AppError('invalid', `The pipeline ${path} cannot be read: ${(error as Error).message}`, {
        cause: error,
        remedy: 'Correct the file.',
      });
    }
    const checked = decodeChecked(definition, value);
    if (checked.ok) return checked.value;
    throw new AppError('invalid', `The pipeline ${path} was not run. ${formatProblems(checked.problems)}`, {
      remedy:
        'List its steps, for example: libraries: [{notebook: {path: /dir/notebook}}, {file: {path: /dir/file.py}}].',
    });
  }

  return {
    async run(request, events, { signal }) {
      const id = request.task.pipeline_task?.pipeline_id;
      if (!id)
        throw new AppError('invalid', 'The pipeline task names no pipeline; nothing was run.', {
          remedy: 'Set pipeline_id.',
        });
      const pipeline = await read(id);
      await mkdir(request.folder, { recursive: true });
      const once = startedOnce(events);
      for (const [index, library] of pipeline.libraries.entries()) {
        const step = stepOf(request, index, library, pipeline.configuration ?? {});
        const isNotebook = step.task.notebook_task !== undefined;
        const outcome = await (isNotebook ? options.notebook : options.pythonFile).run(step, once, { signal });
        await appendOutput(request.folder, step, index + 1, isNotebook);
        if (outcome.resultState !== 'SUCCESS') return failed(outcome, index + 1, step);
      }
      return { resultState: 'SUCCESS', stateMessage: `The pipeline ran ${pipeline.libraries.length} steps.` };
    },
  };
}

async function find(files: FileMap, id: string): Promise<string> {
  if (!/^[\w][\w. -]*$/.test(id)) {
    throw new AppError(
      'invalid',
      `The pipeline ${JSON.stringify(id)} was not run: its name contains characters that a file name may not have.`,
      {
        remedy: 'Use letters, digits, dots, dashes and underscores.',
      },
    );
  }
  for (const extension of ['yml', 'yaml']) {
    const path = await files.existingFile(`/pipelines/${id}.${extension}`, 'Pipeline').catch(() => undefined);
    if (path) return path;
  }
  const path = await files.existingFile(`/pipelines/${id}.json`, 'Pipeline').catch(() => undefined);
  if (path) return path;
  throw new AppError('notFound', `The pipeline ${id} was not found; nothing was run.`, {
    remedy: `Write what it runs into ${await files.locate(`/pipelines/${id}.yml`)}.`,
  });
}

type PipelineLibrary = z.output<typeof definition>['libraries'][number];

function stepOf(
  request: RunRequest,
  index: number,
  library: PipelineLibrary,
  configuration: Record<string, string>,
): RunRequest {
  const folder = join(request.folder, 'steps', String(index + 1));
  const parameters = {};
  if ('notebook' in library) {
    return {
      ...request,
      folder,
      parameters,
      task: { notebook_task: { notebook_path: library.notebook.path, base_parameters: configuration } },
    };
  }
  return {
    ...request,
    folder,
    parameters,
    task: { spark_python_task: { python_file: library.file.path } },
  };
}

function startedOnce(events: RunnerEvents): RunnerEvents {
  let isStarted = false;
  return {
    ...events,
    onStarted() {
      if (!isStarted) events.onStarted();
      isStarted = true;
    },
  };
}

async function appendOutput(folder: string, step: RunRequest, number: number, isNotebook: boolean): Promise<void> {
  const { text } = await readRunOutput(step.folder);
  const exit = isNotebook ? (await readNotebook(step.folder))?.exit?.value : undefined;
  await appendFile(
    join(folder, runFiles.output),
    `--- Step ${number}: ${nameOf(step)}\n${text}${exit === undefined ? '' : `Exit value: ${exit}\n`}`,
  );
  outputGrowth.tell(join(folder, runFiles.output));
}

function nameOf(step: RunRequest): string {
  return step.task.notebook_task?.notebook_path ?? step.task.spark_python_task?.python_file ?? '';
}

function failed(outcome: RunOutcome, number: number, step: RunRequest): RunOutcome {
  const { resultState, stateMessage, error, errorTrace } = outcome;
  return {
    resultState,
    stateMessage: `Step ${number} (${nameOf(step)}): ${stateMessage ?? resultState}`,
    error,
    errorTrace,
  };
}
