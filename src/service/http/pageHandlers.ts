import { randomBytes } from 'node:crypto';
import { ApiError } from '../base/apiError.ts';
import type { Engine } from '../engine/engineContract.ts';
import { runFolder } from '../engine/runStart.ts';
import { pageHeaders, runPagePieces, type PageKeys } from '../page/runPage.ts';
import { readRunOutput } from '../runners/runOutput.ts';
import type { Store } from '../store/store.ts';
import type { RouteHandler } from './handler.ts';
import { sendPieces } from './reply.ts';

/** Handlers of the page that `run_page_url` names. */
export function pageHandlers(options: {
  store: Store;
  engine: Engine;
  keys: PageKeys;
  dataFolder: string;
}): RouteHandler[] {
  const { store, engine, keys, dataFolder } = options;
  return [
    {
      method: 'GET',
      path: '/runs/{runId}/{key}',
      isOpen: true,
      async handle({ path: { runId = '', key = '' }, response }) {
        const run = /^[0-9]{1,19}$/.test(runId) && keys.isKeyOf(runId, key) ? engine.get(runId) : undefined;
        if (!run)
          throw new ApiError(
            404,
            'RESOURCE_DOES_NOT_EXIST',
            'This page does not exist: the run was deleted, or the address is incomplete. Find the run with jobs/runs/list.',
          );
        const outcome = store.runParts.outcome(runId);
        const output = await readRunOutput(runFolder(dataFolder, runId));
        const nonce = randomBytes(16).toString('base64');
        const page = runPagePieces(
          {
            run,
            output: output.text,
            isOutputCut: output.truncated,
            error: outcome?.error,
            errorTrace: outcome?.errorTrace,
            notebookResult: outcome?.notebookResult?.result,
            tasks: store.runs.tasksOf(runId).map((task) => ({
              key: task.taskKey ?? '',
              state: task.result ?? task.lifeCycle,
              path: keys.pathOf(task.runId),
            })),
          },
          nonce,
        );
        sendPieces(response, page, pageHeaders(nonce));
        return undefined;
      },
    },
  ];
}
