import { dateTimeFormat } from '../../shared/dateTimeFormat.ts';
import { l10n } from '../../shared/l10n.ts';
import { nextFireTimes, QuartzError } from '../../shared/quartz/quartz.ts';
import { describeCron } from '../../shared/quartz/quartzWords.ts';
import { fieldText } from '../model/fieldText.ts';
import { fieldAt } from '../model/fieldTree.ts';
import { isBundle, withinJob } from '../model/settingsRoot.ts';
import { findPath, nodeAt, parseDocument, type JobDocument } from '../yaml/document.ts';
import { resolved, type YamlNode, type YamlPath } from '../yaml/jobDocument.ts';
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
  const path = withinJob(at.path);
  const field = path && fieldAt(path)?.field;
  const place = at.onKey && at.key ? at.key : at.node;
  const node = resolved(at.node);
  const parts = field ? [fieldText(field)] : [];
  if (node?.kind === 'scalar' && node.value !== null) {
    const value = String(node.value);
    if (isBundle(document.root)) parts.unshift(...replacedText(document.root, value));
    if (field?.meta.refersTo === 'cron') parts.unshift(cronText(document, value, at.path.slice(0, -1), options));
    if (field?.meta.refersTo === 'job') {
      const name = await jobName(value, options);
      if (name !== undefined) parts.unshift(l10n.t('Job {0}: **{1}**', value, markdownText(name)));
    }
  }
  const text = parts.filter((part) => part !== '').join('\n\n---\n\n');
  return text === '' ? undefined : { text, start: place.start, end: place.end };
}

/** Returns the values that the file gives for each `${…}` in a value of a bundle. */
function replacedText(root: YamlNode | null, value: string): string[] {
  const names = new Set(Array.from(value.slice(0, maxReplaced).matchAll(/\$\{([\w.-]+)\}/g), ([, name = '']) => name));
  return [...names].map((name) => {
    const path = name.split('.');
    const variable = path[0] === 'var' ? path.slice(1) : undefined;
    const given = [
      scalarText(root, variable ? ['variables', ...variable, 'default'] : path),
      ...targetsOf(root).map((target) => {
        const text = variable && scalarText(root, ['targets', target, 'variables', ...variable]);
        return text && l10n.t('{0} in the target {1}', text, target);
      }),
    ].filter((text) => text !== undefined);
    return given.length > 0
      ? l10n.t('`{0}` is {1}', `\${${name}}`, given.join(', '))
      : l10n.t('The bundle replaces `{0}` when it is deployed.', `\${${name}}`);
  });
}

/** Longer values are not searched for what a bundle replaces. */
const maxReplaced = 1000;

function scalarText(root: YamlNode | null, path: YamlPath): string | undefined {
  const node = resolved(findPath(root, path)?.node);
  return node?.kind === 'scalar' && node.value !== null ? `\`${String(node.value)}\`` : undefined;
}

function targetsOf(root: YamlNode | null): readonly string[] {
  const targets = resolved(findPath(root, ['targets'])?.node);
  return targets?.kind === 'map' ? targets.entries.map(({ key }) => key.name) : [];
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

/** Returns text of a server or a file for use in Markdown: no links, pictures, headings or HTML, and one line. */
function markdownText(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]()<>#+\-.!|~:@&$"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
