import { dateTimeFormat } from '../../shared/dateTimeFormat.ts';
import { l10n } from '../../shared/l10n.ts';
import { nextFireTimes, QuartzError } from '../../shared/quartz/quartz.ts';
import { describeCron } from '../../shared/quartz/quartzWords.ts';
import { fieldText } from '../model/fieldText.ts';
import { fieldAt } from '../model/fieldTree.ts';
import { markdownText } from '../model/markdownText.ts';
import { settingsPath } from '../model/settingsRoot.ts';
import { nodeAt, parseDocument, type JobDocument } from '../yaml/document.ts';
import { resolved, type YamlPath } from '../yaml/yamlNode.ts';
import type { LiveValues } from './complete.ts';
import { scheduleAt } from './inlayHints.ts';

export interface Hover {
  /** Markdown. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface HoverOptions {
  readonly liveValues?: LiveValues;
  readonly signal?: AbortSignal;
  /** Epoch milliseconds after which the next runs are listed. */
  readonly nowMs?: number;
  /** BCP 47 tag for dates; the platform's by default. */
  readonly locale?: string;
}

/** Returns the documentation of the field at an offset, with the meaning of its value. */
export async function hover(
  document: JobDocument,
  offset: number,
  options: HoverOptions = {},
): Promise<Hover | undefined> {
  const at = nodeAt(document.root, offset);
  if (!at) return undefined;
  const base = settingsPath(document.root);
  const path = base.length > 0 && at.path[0] === base[0] ? at.path.slice(1) : at.path;
  const found = fieldAt(path);
  if (!found?.field) return undefined;
  const place = at.onKey && at.key ? at.key : at.node;
  const node = resolved(at.node);
  const parts = [fieldText(found.field)];
  if (node?.kind === 'scalar' && node.value !== null) {
    const value = String(node.value);
    if (found.field.meta.refersTo === 'cron') parts.unshift(cronText(document, value, [...base, 'schedule'], options));
    if (found.field.meta.refersTo === 'job') {
      const name = await jobName(value, options);
      if (name !== undefined) parts.unshift(l10n.t('Job {0}: **{1}**', value, markdownText(name)));
    }
  }
  return { text: parts.filter((part) => part !== '').join('\n\n---\n\n'), start: place.start, end: place.end };
}

/** Works like `hover`, for a text. */
export async function hoverText(text: string, offset: number, options: HoverOptions = {}): Promise<Hover | undefined> {
  return hover(parseDocument(text), offset, options);
}

function cronText(
  document: JobDocument,
  expression: string,
  schedule: YamlPath,
  { nowMs = Date.now(), locale }: HoverOptions,
): string {
  const { zone, isPaused } = scheduleAt(document, schedule);
  try {
    const words = describeCron(expression, zone);
    const times = nextFireTimes(expression, zone, nowMs, 5);
    const format = dateTimeFormat(locale, { timeZone: zone, dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' });
    const heading =
      times.length === 0
        ? l10n.t('It never fires again.')
        : isPaused
          ? l10n.t('Next runs when no longer paused:')
          : l10n.t('Next runs:');
    return [`**${words}**`, heading, times.map((time) => `- ${format.format(time)}`).join('\n')]
      .filter((part) => part !== '')
      .join('\n\n');
  } catch (error) {
    // A wrong expression is reported as a problem; a zone such as `GMT+5` cannot be formatted here.
    if (error instanceof QuartzError || error instanceof RangeError) return '';
    throw error;
  }
}

async function jobName(jobId: string, { liveValues, signal }: HoverOptions): Promise<string | undefined> {
  const jobs = await liveValues?.list('job', { signal });
  return jobs?.find((job) => job.value === jobId)?.label;
}
