import { jobFileJsonSchema } from '../model/jsonSchema.ts';
import type { LiveValues } from '../model/liveValues.ts';
import { parseDocument, type JobDocument } from '../yaml/document.ts';
import { changesInWords, movesInWords } from './changesInWords.ts';
import { complete, type Completion } from './complete.ts';
import { anchorOf } from './definition.ts';
import { planDeploy, rewritten, settingsAfter } from './deployPlan.ts';
import { differencesOf } from './diffWithRemote.ts';
import { format } from './format.ts';
import { hover, type Hover } from './hover.ts';
import { inlayHints, type InlayHint } from './inlayHints.ts';
import { mergeTheirs, takeTheirs } from './mergeTheirs.ts';
import { parseJobFile } from './parseJobFile.ts';
import { pasteJson } from './pasteJson.ts';
import { planPull } from './pullPlan.ts';
import { quickFixes } from './quickFixes.ts';
import { symbols } from './symbols.ts';
import { syncOf } from './syncOf.ts';
import { jsonToYaml, toYaml } from './toYaml.ts';
import { validate } from './validate.ts';
import { withSettings } from './withSettings.ts';
import { fileReferences, missingFileProblems } from './workspaceFiles.ts';

export type { LiveKind, LiveValue, LiveValues } from '../model/liveValues.ts';
export type { JobDocument } from '../yaml/document.ts';
export type { TextChange } from '../yaml/textChange.ts';
export type { Problem, Severity } from '../yaml/problem.ts';
export type { Completion } from './complete.ts';
export type { DeployPlan, LastDeploy, PlannedChange } from './deployPlan.ts';
export type { Difference } from './diffWithRemote.ts';
export type { ParsedJobFile } from './parseJobFile.ts';
export type { InlayHint } from './inlayHints.ts';
export type { PullPlan } from './pullPlan.ts';
export type { QuickFix } from './quickFix.ts';
export type { JobSymbol } from './symbols.ts';
export type { FileReference } from './workspaceFiles.ts';

export interface JobFileServiceOptions {
  /** Lists what fields can refer to; without it ids, files and the like are not completed. */
  readonly liveValues?: LiveValues;
  /** BCP 47 tag for dates; the platform's if left out. */
  readonly locale?: string;
}

/**
 * Job files as a language: the one door to it for hosts, commands and the command line. It needs no editor and no
 * network, and keeps nothing between two calls.
 */
export interface JobFileService {
  /** Reads any text in bounded time; never throws. What is wrong with it as YAML is in `problems`. */
  read(text: string): JobDocument;
  /** The settings of a file that can be deployed, or what keeps it from that. Never throws. */
  readonly parse: typeof parseJobFile;
  readonly validate: typeof validate;
  readonly quickFixes: typeof quickFixes;
  readonly symbols: typeof symbols;
  /** The files of the workspace that a run on the local service would open. */
  readonly fileReferences: typeof fileReferences;
  readonly missingFileProblems: typeof missingFileProblems;
  /** Where the anchor of an alias is. */
  readonly anchorOf: typeof anchorOf;
  complete(text: string, offset: number, options?: { signal?: AbortSignal }): Promise<readonly Completion[]>;
  hover(document: JobDocument, offset: number, options?: { signal?: AbortSignal }): Promise<Hover | undefined>;
  /** White space that would be changed to lay the file out; none if it must not be touched. */
  readonly format: typeof format;
  inlayHints(document: JobDocument, options?: { nowMs?: number }): readonly InlayHint[];
  readonly pasteJson: typeof pasteJson;
  readonly toYaml: typeof toYaml;
  /** JSON settings, as other tools export them, as a job file. @throws AppError `invalid` if there are none */
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
    symbols,
    fileReferences,
    missingFileProblems,
    anchorOf,
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
