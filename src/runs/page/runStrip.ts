import type { Run } from '../../api/schema/jobs/schemas.ts';
import { l10n } from '../../shared/l10n.ts';
import { formatDuration } from '../../shared/text.ts';
import { runTitle, runWords, type RowClock } from '../rowWords.ts';
import { failedPhases, runDurationInMs, shownStatus, wordlessStatus, type RunStatus } from '../runState.ts';
import type { RunStrip } from './pageProtocol.ts';
import { stateOf } from './runView.ts';

/** Number of runs that the strip shows. */
export const stripLength = 50;
/** With fewer durations, a median or a slow end says nothing. */
const minRuns = { half: 5, slow: 20 } as const;
/** Labels of lines that are closer than this would overlap. */
const minGap = 0.2;

interface StripRun {
  readonly run: Run;
  readonly status: RunStatus;
  readonly durationInMs: number;
}

/**
 * Builds the strip of durations of a job's last runs.
 * @param runs newest first, as the service returns them
 * @param hasMore whether the job has older ones
 */
export function runStrip(runs: readonly Run[], hasMore: boolean, clock: RowClock): RunStrip {
  const shown = runs.slice(0, stripLength).toReversed();
  const all = shown.map((run): StripRun => ({
    run,
    status: shownStatus(run, clock.isCurrent),
    durationInMs: runDurationInMs(run, clock.seenMs) ?? 0,
  }));
  const longest = Math.max(1, ...all.map(({ durationInMs }) => durationInMs));
  const good = goodDurationsMs(shown);
  const half = medianMs(good);
  const slow = good.length >= minRuns.slow ? good[Math.ceil(good.length * 0.95) - 1] : undefined;
  const last = shown.length === 1 ? l10n.t('Last Run') : l10n.t('Last {0} Runs', shown.length);
  return {
    title: hasMore || runs.length > shown.length ? last : l10n.t('Runs'),
    figures: [...successRate(all), ...durationsOf(half, slow)],
    bars: all.map(({ run, status, durationInMs }) => ({
      runId: run.run_id,
      name: runTitle(run),
      words: runWords(run, status, clock),
      state: stateOf(status),
      ...appearanceOf(status),
      height: durationInMs / longest,
    })),
    lines: linesOf(half, slow, longest),
    keys: keysOf(all),
  };
}

/**
 * Returns the usual duration of a successful run of a job in milliseconds, from its last runs, newest first, or `undefined` if there are
 * too few.
 */
export function usualMs(runs: readonly Run[]): number | undefined {
  return medianMs(goodDurationsMs(runs.slice(0, stripLength)));
}

function goodDurationsMs(runs: readonly Run[]): number[] {
  return runs
    .filter((run) => wordlessStatus(run).phase === 'succeeded')
    .map((run) => runDurationInMs(run, 0) ?? 0)
    .sort((left, right) => left - right);
}

function medianMs(sorted: readonly number[]): number | undefined {
  return sorted.length >= minRuns.half ? sorted[Math.floor((sorted.length - 1) / 2)] : undefined;
}

function appearanceOf({ phase }: RunStatus): { striped: boolean; hollow: boolean } {
  return { striped: phase === 'timedOut', hollow: phase === 'skipped' || phase === 'queued' || phase === 'pending' };
}

/** Returns the success rate: the share of successful runs among those that succeeded or failed. Canceled and skipped runs do not count. */
function successRate(all: readonly StripRun[]): RunStrip['figures'] {
  const succeeded = all.filter(({ status }) => status.phase === 'succeeded').length;
  const total = succeeded + all.filter(({ status }) => failedPhases.has(status.phase)).length;
  if (total === 0) return [];
  const isAnyLeftOut = all.some(({ status }) => status.phase === 'cancelled' || status.phase === 'skipped');
  // 100 % means every run.
  const percent = succeeded === total ? 100 : Math.min(99, Math.round((succeeded / total) * 100));
  return [
    {
      figure: l10n.t('{0} %', percent),
      meaning: isAnyLeftOut
        ? l10n.t('{0} of {1} succeeded; canceled and skipped runs left out', succeeded, total)
        : l10n.t('{0} of {1} succeeded', succeeded, total),
    },
  ];
}

function durationsOf(half: number | undefined, slow: number | undefined): RunStrip['figures'] {
  return [
    ...(half === undefined
      ? []
      : [{ figure: formatDuration(half), meaning: l10n.t('or less for half of the successful runs') }]),
    ...(slow === undefined ? [] : [{ figure: formatDuration(slow), meaning: l10n.t('or less for 95 % of them') }]),
  ];
}

function linesOf(half: number | undefined, slow: number | undefined, longest: number): RunStrip['lines'] {
  const lines = [];
  if (slow !== undefined) lines.push({ at: slow / longest, label: l10n.t('{0} (95 %)', formatDuration(slow)) });
  if (half !== undefined && (slow === undefined || (slow - half) / longest >= minGap))
    lines.push({ at: half / longest, label: l10n.t('{0} (50 %)', formatDuration(half)) });
  return lines;
}

/** Returns the legend of the colors, with the number of runs of each. */
function keysOf(all: readonly StripRun[]): RunStrip['keys'] {
  const counts = new Map<string, { status: RunStatus; count: number }>();
  for (const { status } of all) {
    const known = counts.get(status.label);
    if (known) known.count += 1;
    else counts.set(status.label, { status, count: 1 });
  }
  return [...counts]
    .sort(([, left], [, right]) => right.count - left.count)
    .slice(0, 12)
    .map(([label, { status, count }]) => ({
      label: l10n.t('{0} {1}', label, count),
      tone: stateOf(status).tone,
      ...appearanceOf(status),
    }));
}
