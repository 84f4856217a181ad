import { dateTimeFormat } from '../../shared/dateTimeFormat.ts';
import { l10n } from '../../shared/l10n.ts';
import { nextFireTimes, QuartzError } from '../../shared/quartz/quartz.ts';
import { describeCron } from '../../shared/quartz/quartzWords.ts';
import { jobPaths } from '../model/settingsRoot.ts';
import { findPath, type JobDocument } from '../yaml/document.ts';
import { resolved, type ScalarNode, type YamlPath } from '../yaml/jobDocument.ts';
import { fieldOf } from '../yaml/nodeValue.ts';

/** Words shown in the text without being part of it. */
export interface InlayHint {
  readonly offset: number;
  readonly label: string;
  /** Epoch milliseconds at which the words expire, or `undefined` if they never do. */
  readonly validUntilMs?: number;
}

export interface InlayHintOptions {
  /** Epoch milliseconds after which the next run is computed. */
  readonly nowMs?: number;
  /** BCP 47 tag for dates; the platform's by default. */
  readonly locale?: string;
}

/** Returns the hints: how to start an empty file, and the cron expression in words, with its next run in the schedule's time zone. */
export function inlayHints(document: JobDocument, options: InlayHintOptions = {}): readonly InlayHint[] {
  if (document.root === null && document.text.trim() === '')
    return [{ offset: document.text.length, label: l10n.t('Ctrl+Space: job templates and all fields') }];
  return jobPaths(document.root).flatMap((path) => {
    const schedule = scheduleAt(document, [...path, 'schedule']);
    const { expression } = schedule;
    if (!expression || expression.node.style === 'block') return [];
    const words = wordsOf(expression.value, schedule, options);
    return words ? [{ offset: expression.end, ...words }] : [];
  });
}

function wordsOf(
  expression: string,
  { zone, isPaused }: FileSchedule,
  { nowMs = Date.now(), locale }: InlayHintOptions,
): Omit<InlayHint, 'offset'> | undefined {
  try {
    // The zone is in the file, and in the text of the next run.
    const sentence = describeCron(expression, zone);
    const words = sentence.slice(0, sentence.lastIndexOf(', '));
    if (isPaused) return { label: l10n.t('{0} · paused', words) };
    const [next] = nextFireTimes(expression, zone, nowMs, 1);
    if (next === undefined) return { label: l10n.t('{0} · never fires again', words) };
    return { label: l10n.t('{0} · next {1}', words, shortTime(next, zone, nowMs, locale)), validUntilMs: next };
  } catch (error) {
    // A wrong expression is reported as a problem; a zone such as `GMT+5` cannot be formatted here.
    if (error instanceof QuartzError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns day and time in the zone, with the year only if it differs. */
function shortTime(timeMs: number, zone: string, nowMs: number, locale: string | undefined): string {
  const year = dateTimeFormat(locale, { timeZone: zone, year: 'numeric' });
  const isThisYear = year.format(timeMs) === year.format(nowMs);
  const seconds = timeMs % 60_000 === 0 ? {} : ({ second: '2-digit' } as const);
  return dateTimeFormat(locale, {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    ...seconds,
    hourCycle: 'h23',
    timeZoneName: 'short',
  }).format(timeMs);
}

/** The part of a file's schedule (Jobs API 2.0, CronSchedule) that is written so far. */
interface FileSchedule {
  /** The text of the expression, if there is one. */
  readonly expression?: {
    readonly node: ScalarNode;
    readonly value: string;
    /** End of the expression in the schedule itself, even if it is an alias. */
    readonly end: number;
  };
  /** `UTC` if none is written. */
  readonly zone: string;
  readonly isPaused: boolean;
}

export function scheduleAt(document: JobDocument, path: YamlPath): FileSchedule {
  const owner = findPath(document.root, path)?.node;
  const textOf = (name: string): FileSchedule['expression'] => {
    const written = fieldOf(owner, name)?.value;
    const node = resolved(written);
    if (!written || node?.kind !== 'scalar' || typeof node.value !== 'string') return undefined;
    return { node, value: node.value, end: written.end };
  };
  return {
    expression: textOf('quartz_cron_expression'),
    zone: textOf('timezone_id')?.value ?? 'UTC',
    isPaused: textOf('pause_status')?.value === 'PAUSED',
  };
}
