import type { Run, RunOutput } from '../../api/schema/jobs/schemas.ts';
import { runDurationInMs, runStatus } from '../../runs/runState.ts';
import { formatDuration } from '../../shared/duration.ts';
import { l10n } from '../../shared/l10n.ts';
import { shortened } from '../../shared/shortened.ts';

/** One of two runs that are shown side by side. */
export interface ComparedRun {
  readonly title: string;
  readonly run: Run;
  readonly parameters: unknown;
  /** Where its code was. */
  readonly code: string;
  /** Undefined if the service gives none. */
  readonly output: RunOutput | undefined;
}

export interface Comparison {
  readonly left: string;
  readonly right: string;
  /** In words: the first line in which the outputs differ, or that none does. */
  readonly difference: string;
}

/** A run and its copy as two texts whose lines stand side by side. What only one service gives of an output is not a difference. */
export function compareWithCopy(original: ComparedRun, copy: ComparedRun, nowMs: number): Comparison {
  const outputs = [outputOf(original), outputOf(copy)] as const;
  const shared = (['logs', 'result', 'error'] as const).filter((part) => outputs.every((each) => part in each));
  const [left, right] = outputs.map((each) =>
    shared
      .map((part) => each[part] ?? '')
      .join('\n')
      .split('\n'),
  );
  return {
    left: textOf(original, outputs[0], nowMs),
    right: textOf(copy, outputs[1], nowMs),
    difference: differenceOf(left ?? [], right ?? []),
  };
}

type Parts = Partial<Record<'logs' | 'result' | 'error', string>>;

function outputOf({ output }: ComparedRun): Parts {
  if (!output) return {};
  const logs = output['logs'];
  return {
    ...(typeof logs === 'string' ? { logs: logs.trimEnd() } : {}),
    result: output.notebook_output?.result ?? '',
    error: output.error ?? '',
  };
}

function differenceOf(left: readonly string[], right: readonly string[]): string {
  const count = Math.max(left.length, right.length);
  for (let index = 0; index < count; index += 1)
    if (left[index] !== right[index])
      return l10n.t(
        'The outputs differ first in line {0}: {1} ↔ {2}',
        index + 1,
        shown(left[index]),
        shown(right[index]),
      );
  return l10n.t('The outputs are the same.');
}

const shown = (line: string | undefined): string =>
  line === undefined ? l10n.t('(nothing)') : `“${shortened(line, 80)}”`;

function textOf({ title, run, parameters, code }: ComparedRun, { logs, result, error }: Parts, nowMs: number): string {
  const duration = runDurationInMs(run, nowMs);
  const lines = [
    title,
    '',
    l10n.t('State: {0}', runStatus(run).label),
    l10n.t('Duration: {0}', duration === undefined ? '–' : formatDuration(duration)),
    l10n.t('Parameters: {0}', JSON.stringify(parameters ?? null)),
    l10n.t('Code: {0}', code),
    '',
    l10n.t('Error: {0}', error || '–'),
    l10n.t('Result: {0}', result || '–'),
    '',
    l10n.t('Output:'),
    logs ?? l10n.t('(the service gives none)'),
  ];
  return `${lines.join('\n')}\n`;
}
