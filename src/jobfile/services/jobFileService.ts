import type { Fields } from '../../shared/fields.ts';
import { parseJson, stringifyJson } from '../../shared/json.ts';
import { l10n } from '../../shared/l10n.ts';
import { shortened } from '../../shared/text.ts';
import { fieldAt, jobFileType } from '../model/fieldTree.ts';
import { jobFileJsonSchema } from '../model/jsonSchema.ts';
import { isBundle, withinJob } from '../model/settingsRoot.ts';
import { type JobDocument, nodeAt, parseDocument } from '../yaml/document.ts';
import { columnOf, lineStart, type TextRange } from '../yaml/textRange.ts';
import { bundleJob, bundleJobs } from './bundleJob.ts';
import { complete, type Completion, type LiveValues } from './complete.ts';
import { cursorContext } from './cursorContext.ts';
import { type LastDeploy, planDeploy, type PlannedChange, rewritten, settingsAfter } from './deployPlan.ts';
import { type Difference, differencesOf } from './diffWithRemote.ts';
import { format } from './format.ts';
import { hover, type Hover } from './hover.ts';
import { type InlayHint, inlayHints } from './inlayHints.ts';
import { graphAt, type JobGraph, namesAt, placesOf, taskLists } from './jobNames.ts';
import { parseJobFile } from './parseJobFile.ts';
import { mergeTheirs, takeTheirs, planPull } from './pullPlan.ts';
import { quickFixes } from './quickFixes.ts';
import { isMask } from './settingsMeaning.ts';
import { symbols } from './symbols.ts';
import { otherForm } from './taskForms.ts';
import { jsonToYaml, toYaml, valueToYaml } from './toYaml.ts';
import { validate } from './validate.ts';
import { withSettings } from './withSettings.ts';
import { bundleFiles, fileReferences, missingFileProblems } from './workspaceFiles.ts';

export type { LiveKind, LiveValue, LiveValues } from './complete.ts';
export type { JobDocument } from '../yaml/document.ts';
export type { TextChange } from '../yaml/textRange.ts';
export type { Problem, Severity } from '../yaml/jobDocument.ts';
export type { Completion } from './complete.ts';
export type { DeployPlan, LastDeploy, PlannedChange } from './deployPlan.ts';
export type { Difference } from './diffWithRemote.ts';
export type { BundleFile } from './bundleJob.ts';
export type { JobGraph };
export type { ParsedJobFile } from './parseJobFile.ts';
export type { InlayHint } from './inlayHints.ts';
export type { PullPlan } from './pullPlan.ts';
export type { QuickFix } from './taskForms.ts';
export type { JobSymbol } from './symbols.ts';
export type { FileReference } from './workspaceFiles.ts';

export interface JobFileServiceOptions {
  /** Lists objects to which fields can refer; without it, IDs, files and the like are not completed. */
  readonly liveValues?: LiveValues;
  /** BCP 47 tag for dates; the platform's by default. */
  readonly locale?: string;
}

/**
 * The job file language: the only entry point for hosts, commands and the command line. It needs no editor and no network, and keeps no
 * state between calls.
 */
export interface JobFileService {
  /** Parses any text in bounded time; never throws. YAML problems are in `problems`. */
  read(text: string): JobDocument;
  /** Returns the settings of a deployable file, or the problems that prevent a deploy. Never throws. */
  readonly parse: typeof parseJobFile;
  readonly validate: typeof validate;
  readonly quickFixes: typeof quickFixes;
  readonly otherForm: typeof otherForm;
  readonly symbols: typeof symbols;
  /** Returns the workspace files that a run on the local service would open. */
  readonly fileReferences: typeof fileReferences;
  readonly bundleFiles: typeof bundleFiles;
  /** Returns whether the file belongs to a bundle, which has its jobs deeper. */
  isBundle(document: JobDocument): boolean;
  readonly bundleJobs: typeof bundleJobs;
  readonly bundleJob: typeof bundleJob;
  readonly missingFileProblems: typeof missingFileProblems;
  /** Returns the position of an alias's anchor, or of the entry to which a name such as a task key refers. */
  readonly definitionOf: typeof definitionOf;
  readonly placesOf: typeof placesOf;
  readonly namesAt: typeof namesAt;
  readonly taskLists: typeof taskLists;
  readonly graphAt: typeof graphAt;
  complete(text: string, offset: number, options?: { signal?: AbortSignal }): Promise<readonly Completion[]>;
  hover(document: JobDocument, offset: number, options?: { signal?: AbortSignal }): Promise<Hover | undefined>;
  /** Returns the white space changes that format the file; empty if it must not be touched. */
  readonly format: typeof format;
  inlayHints(document: JobDocument, options?: { nowMs?: number }): readonly InlayHint[];
  readonly pasteJson: typeof pasteJson;
  readonly toYaml: typeof toYaml;
  /**
   * Converts JSON settings, as exported by other tools, to a job file.
   * @throws AppError `invalid` if there are none
   */
  readonly fromJson: typeof jsonToYaml;
  readonly differences: typeof differencesOf;
  readonly planDeploy: typeof planDeploy;
  readonly planPull: typeof planPull;
  readonly takeTheirs: typeof takeTheirs;
  readonly mergeTheirs: typeof mergeTheirs;
  readonly withSettings: typeof withSettings;
  readonly settingsAfter: typeof settingsAfter;
  readonly rewritten: typeof rewritten;
  readonly changesInWords: typeof changesInWords;
  readonly movesInWords: typeof movesInWords;
  readonly syncOf: typeof syncOf;
  readonly jsonSchema: typeof jobFileJsonSchema;
}

export function createJobFileService({ liveValues, locale }: JobFileServiceOptions = {}): JobFileService {
  return {
    read: parseDocument,
    parse: parseJobFile,
    validate,
    quickFixes,
    otherForm,
    symbols,
    fileReferences,
    bundleFiles,
    isBundle: ({ root }) => isBundle(root),
    bundleJobs,
    bundleJob,
    missingFileProblems,
    definitionOf,
    placesOf,
    namesAt,
    taskLists,
    graphAt,
    complete: (text, offset, { signal } = {}) => complete(text, offset, { liveValues, signal }),
    hover: (document, offset, { signal } = {}) => hover(document, offset, { liveValues, signal, locale }),
    format,
    inlayHints: (document, options) => inlayHints(document, { ...options, locale }),
    pasteJson,
    toYaml,
    fromJson: jsonToYaml,
    differences: differencesOf,
    planDeploy,
    planPull,
    takeTheirs,
    mergeTheirs,
    withSettings,
    settingsAfter,
    rewritten,
    changesInWords,
    movesInWords,
    syncOf,
    jsonSchema: jobFileJsonSchema,
  };
}

function definitionOf(document: JobDocument, offset: number): TextRange | undefined {
  const node = nodeAt(document.root, offset)?.node;
  if (node?.kind === 'alias') return node.target && { start: node.target.start, end: node.target.end };
  return placesOf(document, offset).find(({ isEntry }) => isEntry);
}

/** Longer clipboards are ignored: parsing them would be noticeable. */
const maxLength = 1_000_000;

/**
 * Returns the YAML to insert for JSON on the clipboard, indented for its position, or `undefined` if the clipboard holds no JSON or the
 * file itself is JSON.
 * @param text the file without the text to be replaced; `offset` is the insert position
 */
export function pasteJson(clipboard: string, text: string, offset: number): string | undefined {
  const trimmed = clipboard.trim();
  if (trimmed.length > maxLength || !/^[{[]/.test(trimmed)) return undefined;
  const value = readJson(trimmed);
  if (value === undefined) return undefined;
  if (text.trim() === '') return isJob(value) ? jsonToYaml(trimmed) : valueToYaml(value);
  const context = cursorContext(text, offset);
  if (!context || context.flow) return undefined;
  const before = text.slice(lineStart(text, offset), offset);
  const yaml = valueToYaml(value, fieldAt(withinJob(context.path) ?? context.path)?.type).trimEnd();
  if (context.place === 'value')
    return `${isCollection(value) ? `\n${indented(yaml, (/^ */.exec(before)?.[0].length ?? 0) + 2, true)}` : yaml}`;
  return indented(yaml, columnOf(text, offset), false);
}

/** Parses JSON as JSON.parse does, with exact integers. Returns `undefined` for anything else, which is pasted unchanged. */
function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isCollection(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function isJob(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).some((key) => jobFileType.fields.has(key) || key === 'settings' || key === 'new_settings')
  );
}

function indented(yaml: string, spaces: number, first: boolean): string {
  return yaml
    .split('\n')
    .map((line, index) => ((index === 0 && !first) || line === '' ? line : ' '.repeat(spaces) + line))
    .join('\n');
}

/** How a file relates to its job. `differs`: the last deploy is unknown; `broken`: the file has errors. */
type SyncKind = 'same' | 'here' | 'there' | 'both' | 'differs' | 'broken';

/** A setting that a deploy would change, seen from three sides; each value is a text, empty if it is not set. */
interface SyncRow {
  readonly setting: string;
  readonly last: string;
  readonly job: string;
  readonly file: string;
  readonly deploy: string;
}

/** Maximum rows; beyond that the user compares the whole texts. */
const maxRows = 10;

/**
 * Compares a file with its job and with its last deploy from here.
 * @param theirs current settings of the job
 */
export function syncOf(text: string, theirs: Fields, last?: LastDeploy): { kind: SyncKind; rows: SyncRow[] } {
  const { settings } = parseJobFile(text);
  if (!settings) return { kind: 'broken', rows: [] };
  const { changes, moved, lost } = planDeploy(settings, theirs, last);
  // The changes that a deploy would make if nobody else had changed the job, which are those made in the file.
  const isHere = last !== undefined && planDeploy(settings, last.settings, last).changes.length > 0;
  const isThere = moved.length > 0;
  const kind = isHere ? (isThere ? 'both' : 'here') : isThere ? 'there' : 'differs';
  const rowOf = (change: PlannedChange): SyncRow => {
    const { path, job, file } = change;
    const move = moved.find((one) => one.path === path);
    const deploy = deployWords(change);
    return {
      setting: path,
      last: last ? written(move ? move.file : job) : '',
      job: written(job),
      file: written(file),
      deploy: last && lost.includes(change) ? l10n.t('{0}, compared with the change there', deploy) : deploy,
    };
  };
  // If both sides made the same change, there is nothing to deploy.
  return changes.length === 0 ? { kind: 'same', rows: [] } : { kind, rows: changes.slice(0, maxRows).map(rowOf) };
}

function written(value: Difference['job']): string {
  return value === undefined ? '' : valueText(value);
}

function deployWords({ kind }: PlannedChange): string {
  if (kind === 'add') return l10n.t('Adds it');
  if (kind === 'change') return l10n.t('Changes it');
  return kind === 'remove' ? l10n.t('Removes it') : l10n.t('Sets the default');
}

/** A prompt is skimmed, not studied: the comparison shows the rest. */
const maxLines = 10;
const maxValueLength = 80;

/** Describes what a deploy does to each setting of the job, one per line. */
export function changesInWords(changes: readonly PlannedChange[], max = maxLines): string {
  return lines(changes, max, (change) => {
    const place = onOneLine(change.path);
    switch (change.kind) {
      case 'add':
        return l10n.t('• {0}: {1} is added', place, valueText(change.file));
      case 'change':
        if (isMask(change.job))
          return l10n.t("• {0}: a value that the service hides is replaced by the file's value", place);
        return l10n.t('• {0}: {1} becomes {2}', place, valueText(change.job), valueText(change.file));
      case 'remove':
        return l10n.t('• {0}: {1} is removed', place, valueText(change.job));
      default:
        return l10n.t('• {0}: {1} returns to the default ({2})', place, valueText(change.job), defaultText(change));
    }
  });
}

/** Describes what somebody else changed since the last deploy, one change per line. */
export function movesInWords(moved: readonly Difference[], max = maxLines): string {
  return lines(moved, max, ({ path, file, job }) => {
    const place = onOneLine(path);
    if (file === undefined) return l10n.t('• {0}: {1} was added', place, valueText(job));
    if (job === undefined) return l10n.t('• {0}: {1} was removed', place, valueText(file));
    if (isMask(job)) return l10n.t('• {0}: a value that the service hides was replaced', place);
    return l10n.t('• {0}: {1} became {2}', place, valueText(file), valueText(job));
  });
}

function lines<T>(items: readonly T[], max: number, line: (item: T) => string): string {
  const shown = items.slice(0, max).map(line);
  const more = items.length - shown.length;
  return [...shown, ...(more > 0 ? [l10n.t('• and {0} more', more)] : [])].join('\n');
}

function defaultText({ fallback }: Difference): string {
  return onOneLine(typeof fallback === 'object' ? stringifyJson(fallback) : String(fallback));
}

/** Returns a value as JSON in one line of limited length. */
function valueText(value: unknown): string {
  return onOneLine(stringifyJson(value));
}

/** Returns the text shortened to one line. */
function onOneLine(text: string): string {
  return shortened(text.replace(/\s+/g, ' '), maxValueLength);
}
