import { shape, type Shape, type ShapeOf } from '../../shared/shape.ts';

/**
 * Every message between the host and the pages of runs and jobs, in both directions. Both sides read what they receive by these shapes;
 * what has another shape is passed over.
 */

const { text, number, count, flag, one, list, optional, object, either } = shape;

/** How a thing went: good, bad, going on, to be looked at, or nothing that matters. */
const tone = one('good', 'bad', 'now', 'look', 'none');
export type Tone = ShapeOf<typeof tone>;

const state = object({
  /** A codicon's id. */
  icon: text(),
  tone,
  spins: flag(),
});

/** What the user can do from the page; the host knows how. */
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
  /** What a click on it does instead: as that of a button. */
  action: optional(text(100)),
});

const notice = object({ text: text(), detail: optional(text()), actions: list(action) });
const fact = object({ name: text(), values: list(link), copies: optional(text()) });

/** A stretch of time. */
const part = object({
  label: text(),
  tone,
  striped: optional(flag()),
  durationInMs: number(),
  isLive: optional(flag()),
});

/** What stands at the top of either page. */
const head = {
  state,
  title: text(),
  subtitle: text(),
  production: optional(text()),
  actions: list(action),
  /** What has no button of its own. */
  more: optional(list(action)),
  /** Why the page cannot be kept true. */
  notice: optional(notice),
};

const runView = object({
  kind: one('run'),
  ...head,
  message: optional(text()),
  messageNote: optional(text()),
  /** The time that it was given, and where that is set. */
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
  time: list(part),
  attempts: list(
    object({
      label: text(),
      state,
      /** Fractions of the time from the first attempt's start to the last one's end. */
      from: number(),
      to: number(),
      duration: text(),
      runId: text(20),
      isThis: flag(),
    }),
  ),
  parameters: optional(
    object({
      note: text(),
      /** They have places, no names. */
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
    /** Which Python and packages the run has. */
    versions: optional(text()),
    /** Why it cannot be read. */
    unread: optional(text()),
  }),
});

/** The last runs of a job, the oldest first. */
const strip = object({
  title: text(),
  figures: list(object({ figure: text(), meaning: text() }), 10),
  bars: list(
    object({
      runId: text(20),
      /** What the run is called, and how it went. */
      name: text(),
      words: text(),
      state,
      striped: flag(),
      hollow: flag(),
      /** A fraction of the longest one's. */
      height: number(),
    }),
    200,
  ),
  /** Durations to compare with, as fractions of the longest one's. */
  lines: list(object({ at: number(), label: text() }), 4),
  keys: list(object({ label: text(), tone, striped: flag(), hollow: flag() }), 20),
});

/** A job file of the workspace that was deployed to the job. */
const jobFile = object({
  link,
  /** How it stands to the job, if that is known. */
  state: optional(state),
  words: text(),
  actions: list(action),
  /** What a deploy would do, from three sides; a value that is not set is empty. */
  rows: list(object({ setting: text(), last: text(), job: text(), file: text(), deploy: text() })),
});

const jobView = object({
  kind: one('job'),
  ...head,
  strip: optional(strip),
  /** In place of the strip. */
  noRuns: optional(text()),
  next: optional(
    object({ note: text(), rows: list(object({ at: text(), ahead: text() }), 10), none: optional(text()) }),
  ),
  facts: list(fact),
  files: optional(list(jobFile)),
  /** In place of files. */
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

/** A text that comes as it is or as its UTF-8 bytes. */
const packable: Shape<string> = (value) =>
  ArrayBuffer.isView(value) ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(value) : text()(value);

/** Of what nothing is known now. */
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

/** What the host sends. */
export const toPage = either({
  run: object({ view: runView }),
  job: object({ view: jobView }),
  /** More of the output; `reset`: in place of what was shown. */
  output: object({ text: packable, reset: flag(), isEnd: flag() }),
  /** What the run wrote last, while so many bytes before it are still to come; empty once nothing is missing. */
  tail: object({ text: text(), missingBytes: count() }),
  /** Which of the files that were asked for are in the workspace. */
  files: object({ found: list(text()), missing: list(text()) }),
});

/** What the page sends. */
export const fromPage = either({
  /** The page stands; sent again if it was made anew, with how much of the output it still has. */
  ready: object({}),
  /** A piece of the output is among the page's lines: the next one may come. */
  taken: object({}),
  action: object({ id: text(100) }),
  openPlace: object({ place }),
  openRun: object({ runId: text(20) }),
  openJob: object({ jobId: text(20) }),
  findFiles: object({ files: list(text(4000), 200) }),
  copy: object({ text: text(20_000_000) }),
});

export type ToPage = ShapeOf<typeof toPage>;
export type FromPage = ShapeOf<typeof fromPage>;

/** What is shorter costs least as it is. */
const packedCharacters = 4000;

/**
 * The message as it is handed to the editor, which writes and reads texts as JSON twice on their way through it, in the thread that
 * draws its window, too. Bytes go as they are.
 */
export function packed(message: ToPage): unknown {
  if (message.type !== 'output' || message.text.length < packedCharacters) return message;
  return { ...message, text: new TextEncoder().encode(message.text) };
}

/** What a page is of: enough to open it again. */
export const pageSubject = object({
  kind: one('run', 'job'),
  profileId: text(200),
  id: text(20),
});
export type PageSubject = ShapeOf<typeof pageSubject>;
