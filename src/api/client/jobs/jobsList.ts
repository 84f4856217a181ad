import * as z from 'zod';
import { type Fields, fieldsOf, isFields, type WritableFields } from '../../../shared/fields.ts';
import { parseJson } from '../../../shared/json.ts';
import { type Job, job, job as jobSchema } from '../../schema/jobs/run.ts';
import { decodeChecked, type FieldProblem } from '../../schema/problems.ts';
import type { ReadResponse } from '../response.ts';

/** Length in characters below which a text is parsed at once, which takes a few milliseconds. */
const smallText = 1_000_000;
/** Length in characters of a slice, which is parsed in a few milliseconds. */
const sliceCharacters = 256_000;
/** How long to work before yielding to the event loop, in milliseconds. */
const stretchInMs = 10;
/** Start of the list up to its first job, the first field name of that job, and the text between two jobs. */
const beginning = /^\s*\{\s*"jobs"\s*:\s*\[\s*(?=\{)/;
const firstName = /\{\s*"(?:[^"\\]|\\.)*"\s*:/y;

/** Yields to the event loop. */
function yieldTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * Reads a jobs/list response (Jobs API 2.0, Endpoints). A long one is cut between two jobs and parsed in pieces, so that 12,000 jobs never
 * block the process. A job that cannot be read is left out and reported.
 * @returns the jobs, or `undefined` if the text is not the list that the document describes; the schema then reports why
 * @throws SyntaxError if the text is not JSON
 */
export async function readJobsList(text: string): Promise<ReadResponse<{ jobs: Job[] }> | undefined> {
  const read = new ReadJobs();
  if (text.length < smallText) {
    if (!read.add(jobsIn(parseJson(text)))) return undefined;
    return read.response();
  }
  let stretchStart = performance.now();
  for (const slice of slicesOf(text)) {
    if (!read.add(slice)) return undefined;
    if (performance.now() - stretchStart > stretchInMs) {
      await yieldTurn();
      stretchStart = performance.now();
    }
  }
  return read.response();
}

function jobsIn(value: unknown): unknown {
  return fieldsOf(value)?.['jobs'];
}

/** Collects the jobs of a list as they are read, and those that could not be read. */
class ReadJobs {
  readonly #jobs: Job[] = [];
  #unreadable = 0;
  #first: FieldProblem | undefined;

  /**
   * Adds the jobs of a slice.
   * @returns false if the slice is not a list
   */
  add(slice: unknown): boolean {
    if (!Array.isArray(slice)) return false;
    for (const item of slice as unknown[]) {
      const job = asJob(item);
      if (job) this.#jobs.push(job);
      else this.#skip(item);
    }
    return true;
  }

  #skip(item: unknown): void {
    const index = this.#jobs.length + this.#unreadable;
    this.#unreadable += 1;
    if (this.#first) return;
    const checked = decodeChecked(jobSchema, item);
    const [problem] = checked.ok ? [] : checked.problems;
    if (problem) this.#first = { ...problem, path: ['jobs', index, ...problem.path] };
  }

  /** Returns the jobs read, or `undefined` if none could be read; the schema then reports why. */
  response(): ReadResponse<{ jobs: Job[] }> | undefined {
    if (!this.#first) return { value: { jobs: this.#jobs } };
    if (this.#jobs.length === 0) return undefined;
    return {
      value: { jobs: this.#jobs },
      skipped: { count: this.#unreadable, total: this.#jobs.length + this.#unreadable, first: this.#first },
    };
  }
}

/**
 * Yields the jobs in parsed slices. A position that looks like the border between two jobs is one exactly if the text before it parses as a
 * list, since every slice begins at a job.
 */
function* slicesOf(text: string): Generator<unknown> {
  const start = beginning.exec(text)?.[0].length;
  firstName.lastIndex = start ?? 0;
  const opening = start === undefined ? undefined : firstName.exec(text)?.[0];
  if (start === undefined || opening === undefined) {
    yield jobsIn(parseJson(text));
    return;
  }
  let from = start;
  for (;;) {
    const piece = nextPiece(text, from, opening);
    if (!piece) break;
    yield piece.items;
    from = piece.next;
  }
  yield jobsIn(parseJson(`{"jobs":[${text.slice(from)}`));
}

/** Maximum number of false borders; after that, the rest is parsed at once. */
const maxTries = 20;

function nextPiece(text: string, from: number, opening: string): { items: unknown; next: number } | undefined {
  let at = from + sliceCharacters;
  for (let tries = 0; tries < maxTries; tries++) {
    at = text.indexOf(opening, at);
    if (at < 0) return undefined;
    const comma = beforeSpace(text, at - 1);
    if (text[comma] === ',' && text[beforeSpace(text, comma - 1)] === '}') {
      try {
        return { items: parseJson(`[${text.slice(from, comma)}]`), next: at };
      } catch {
        // Not a border: the same text occurs deeper inside a job or in a string.
      }
    }
    at += opening.length;
  }
  return undefined;
}

function beforeSpace(text: string, index: number): number {
  let at = index;
  while (at >= 0 && /\s/.test(text[at] ?? '')) at--;
  return at;
}

/** Returns whether an id arrived as a number: in our code, INT64 ids are decimal strings. */
function needsText(id: unknown): id is number | bigint {
  return typeof id === 'number' || typeof id === 'bigint';
}

/**
 * Reads one job as the `job` schema would (Jobs API 2.0, Job). Works in place and skips the schema if every field matches the document,
 * since a list may hold 12,000 jobs.
 * @returns the job, or `undefined` if the value is not a job
 */
function asJob(value: unknown): Job | undefined {
  if (!isFields(value)) return undefined;
  if (isPlain(value)) return value as Job;
  const decoded = z.safeDecode(job, value as z.input<typeof job>);
  return decoded.success ? decoded.data : undefined;
}

/** Returns whether every field matches the document; if so, converts the id to text. */
function isPlain(fields: WritableFields): boolean {
  const { job_id: id, creator_user_name: creator, run_as: runAs, created_time: created, settings } = fields;
  if (typeof id === 'number' ? !Number.isSafeInteger(id) : typeof id !== 'bigint' || BigInt.asIntN(64, id) !== id)
    return false;
  if (creator !== undefined && typeof creator !== 'string') return false;
  if (runAs !== undefined && typeof runAs !== 'string') return false;
  if (created !== undefined && !Number.isSafeInteger(created)) return false;
  if (settings !== undefined && !arePlainSettings(settings)) return false;
  if (Object.hasOwn(fields, '__proto__')) return false;
  fields['job_id'] = String(id);
  return true;
}

function arePlainSettings(settings: unknown): boolean {
  if (!isFields(settings)) return false;
  for (const name in settings) if (settings[name] === null || name === '__proto__') return false;
  const runJob = settings['run_job_task'];
  if (typeof runJob === 'object' && runJob !== null && needsText((runJob as Fields)['job_id'])) return false;
  const notebook = settings['notebook_task'];
  if (typeof notebook !== 'object' || notebook === null) return true;
  return (
    !needsText((notebook as Fields)['revision_timestamp']) && !Array.isArray((notebook as Fields)['base_parameters'])
  );
}
