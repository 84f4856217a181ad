import { shape, type Shape, type ShapeOf } from '../../shared/shape.ts';

/**
 * All messages between the host and the pages of runs and jobs, in both directions. Both sides validate what they receive against these
 * shapes and ignore everything else.
 */

const { text, number, count, flag, one, list, optional, object, either } = shape;

/** Tone of a state: good, bad, in progress, needs attention, or neutral. */
const tone = one('good', 'bad', 'now', 'look', 'none');
export type Tone = ShapeOf<typeof tone>;

const state = object({
  /** Codicon ID. */
  icon: text(),
  tone,
  spins: flag(),
});

/** An action that the user can take on the page. The host implements it. */
const action = object({
  id: text(100),
  label: text(),
  icon: optional(text()),
  primary: optional(flag()),
});

/** A place that the host has found in the workspace. */
const place = object({ file: text(4000), line: count() });

const link = object({
  label: text(),
  place: optional(place),
  runId: optional(text(20)),
  jobId: optional(text(20)),
  /** Action that a click triggers instead, like that of a button. */
  action: optional(text(100)),
});

const notice = object({ text: text(), detail: optional(text()), actions: list(action) });
const fact = object({ name: text(), values: list(link), copies: optional(text()) });

/** A period of time. */
const part = object({
  label: text(),
  tone,
  striped: optional(flag()),
  durationInMs: number(),
  isLive: optional(flag()),
});

/** Head of both pages. */
const head = {
  state,
  title: text(),
  subtitle: text(),
  production: optional(text()),
  actions: list(action),
  /** Actions without a button of their own. */
  more: optional(list(action)),
  /** Why the page cannot be kept up to date. */
  notice: optional(notice),
};

/** A task of a run, or of a job, which has no state yet. */
const task = object({
  key: text(),
  state,
  /** The state in words. */
  words: text(),
  duration: text(),
  /** Whether the task did not run because of a task before it. */
  isHeldBack: flag(),
  /** Number of tasks before it on the longest way to it. */
  depth: count(),
  upstream: list(text()),
  /** Whether the page shows the output of this task. */
  isShown: flag(),
});

const runView = object({
  kind: one('run'),
  ...head,
  message: optional(text()),
  messageNote: optional(text()),
  /** The run's time limit, and where it is set. */
  limit: optional(object({ text: text(), link })),
  frame: optional(
    object({
      name: text(),
      place,
      label: text(),
      note: optional(text()),
      lines: list(object({ number: count(), text: text(), isFailing: flag() }), 50),
    }),
  ),
  callers: list(link),
  /** Steps of the trace that are not in the workspace. */
  hidden: optional(list(text())),
  result: optional(object({ label: text(), text: text() })),
  /** The tasks of a run with several tasks, each after those that it depends on. */
  tasks: optional(list(task, 5000)),
  time: list(part),
  attempts: list(
    object({
      label: text(),
      state,
      /** Fractions of the time from the first attempt's start to the last attempt's end. */
      from: number(),
      to: number(),
      duration: text(),
      /** Run whose page shows it, if it has one of its own. */
      runId: optional(text(20)),
      isThis: flag(),
    }),
  ),
  parameters: optional(
    object({
      note: text(),
      /** They have positions instead of names. */
      isList: flag(),
      isJobKnown: flag(),
      rows: list(object({ name: text(), sent: text(), inJob: text(), isOverridden: flag() })),
    }),
  ),
  facts: list(fact),
  output: object({
    note: text(),
    isGoing: flag(),
    end: text(),
    /** Python and packages of the run. */
    versions: optional(text()),
    /** Why it cannot be read. */
    unread: optional(text()),
  }),
});

/** The last runs of a job, oldest first. */
const strip = object({
  title: text(),
  figures: list(object({ figure: text(), meaning: text() }), 10),
  bars: list(
    object({
      runId: text(20),
      /** Title of the run, and its result. */
      name: text(),
      words: text(),
      state,
      striped: flag(),
      hollow: flag(),
      /** Fraction of the longest duration. */
      height: number(),
    }),
    200,
  ),
  /** Durations to compare with, as fractions of the longest one. */
  lines: list(object({ at: number(), label: text() }), 4),
  keys: list(object({ label: text(), tone, striped: flag(), hollow: flag() }), 20),
});

/** A job file of the workspace that was deployed to the job. */
const jobFile = object({
  link,
  /** How the file relates to the job, if known. */
  state: optional(state),
  words: text(),
  actions: list(action),
  /** The effect of a deploy, from three sides; a value that is not set is empty. */
  rows: list(object({ setting: text(), last: text(), job: text(), file: text(), deploy: text() })),
});

const jobView = object({
  kind: one('job'),
  ...head,
  strip: optional(strip),
  /** Shown instead of the strip. */
  noRuns: optional(text()),
  next: optional(
    object({ note: text(), rows: list(object({ at: text(), ahead: text() }), 10), none: optional(text()) }),
  ),
  facts: list(fact),
  files: optional(list(jobFile)),
  /** Shown instead of files. */
  noFile: optional(object({ words: text(), actions: list(action) })),
});

export type RunView = ShapeOf<typeof runView>;
export type JobView = ShapeOf<typeof jobView>;
export type JobFileView = ShapeOf<typeof jobFile>;
export type RunStrip = ShapeOf<typeof strip>;
export type PageFact = ShapeOf<typeof fact>;
export type PageNotice = ShapeOf<typeof notice>;
export type PageState = ShapeOf<typeof state>;
export type PageAction = ShapeOf<typeof action>;
export type PageLink = ShapeOf<typeof link>;

/** A text, sent as it is or as its UTF-8 bytes. */
const packable: Shape<string> = (value) =>
  ArrayBuffer.isView(value) ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(value) : text()(value);

/** State of something about which nothing is known. */
export const noState: PageState = { icon: 'circle-large-outline', tone: 'none', spins: false };

export const emptyRunView = {
  kind: 'run',
  state: noState,
  actions: [],
  callers: [],
  time: [],
  attempts: [],
  facts: [],
} satisfies Partial<RunView>;

/** Messages from the host. */
export const toPage = either({
  run: object({ view: runView }),
  job: object({ view: jobView }),
  /** The tasks of a job file. */
  tasks: object({ tasks: list(task, 5000) }),
  /** More output; `reset` replaces what was shown. */
  output: object({ text: packable, reset: flag(), isEnd: flag() }),
  /** The newest text of the run, while so many bytes before it are still missing; empty once nothing is missing. */
  tail: object({ text: text(), missingBytes: count() }),
  /** Which of the requested files are in the workspace. */
  files: object({ found: list(text()), missing: list(text()) }),
});

/** Messages from the page. */
export const fromPage = either({
  /** The page is ready. It is sent again after the page was recreated, with how much output it still has. */
  ready: object({}),
  /** The page has added a piece of output: the next one may be sent. */
  taken: object({}),
  action: object({ id: text(100) }),
  openPlace: object({ place }),
  openRun: object({ runId: text(20) }),
  /** Shows the output of another task of the run. */
  showTask: object({ key: text(1000) }),
  openJob: object({ jobId: text(20) }),
  findFiles: object({ files: list(text(4000), 200) }),
  copy: object({ text: text(20_000_000) }),
});

export type ToPage = ShapeOf<typeof toPage>;
export type FromPage = ShapeOf<typeof fromPage>;

/** Shorter texts are cheapest as they are. */
const packedCharacters = 4000;

/**
 * Packs a message for the editor, which serializes texts as JSON twice on their way, also in the thread that draws its window. Bytes are
 * passed as they are.
 */
export function packed(message: ToPage): unknown {
  if (message.type !== 'output' || message.text.length < packedCharacters) return message;
  return { ...message, text: new TextEncoder().encode(message.text) };
}

/** What a page shows: enough to open it again. */
export const pageSubject = object({
  kind: one('run', 'job'),
  profileId: text(200),
  id: text(20),
});
export type PageSubject = ShapeOf<typeof pageSubject>;
