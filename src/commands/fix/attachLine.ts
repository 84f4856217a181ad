import { runStatus } from '../../runs/runState.ts';
import { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import { outputOf } from '../askChat.ts';
import { requestOfRun } from '../oneTimeRun.ts';
import { connectToRun } from '../resolve.ts';
import type { CommandServices } from '../services.ts';
import type { Target } from '../target.ts';
import { readFailure } from './failedRun.ts';

/** Lines before and after the failing one. */
const linesAround = 10;

/**
 * Attaches the workspace line at which a run failed to the open conversation, with its error and the surrounding lines.
 * @throws AppError `notFound` if the trace names no line of a workspace file
 */
export async function attachLine(services: CommandServices, target: Target): Promise<void> {
  const { ui } = services;
  const found = await connectToRun(services, target, l10n.t('Attach the failing line of a run'), (run) => {
    const { terminal, phase } = runStatus(run);
    return terminal && phase !== 'succeeded';
  });
  if (!found) return;
  const { connection, run, name } = found;
  const output = await ui.progress(l10n.t('Loading {0}', name), (signal) => outputOf(connection, run, signal));
  const { error, steps } = await readFailure(output, {
    jobFile: undefined,
    request: requestOfRun(output.metadata ?? run),
    files: await ui.workspaceFiles(''),
    read: (path) => ui.workspaceFile(path),
  });
  const [step] = steps;
  if (!step)
    throw new AppError('notFound', l10n.t('{0} names no line of a file in this workspace.', name), {
      remedy: l10n.t('Attach the run with its output instead.'),
    });
  const { file, line } = step;
  const first = Math.max(1, line - linesAround);
  const code = file.text.split(/\r?\n/).slice(first - 1, line + linesAround);
  await ui.attachToChat([
    {
      label: `${file.name}:${line}`,
      text: [error, `${file.path}:${line}`, '', ...code.map((text, at) => `${first + at}: ${text}`)].join('\n'),
    },
  ]);
}
