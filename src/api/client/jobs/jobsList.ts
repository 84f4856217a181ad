import * as z from 'zod';
import { type Fields, fieldsOf, isFields, type WritableFields } from '../../../shared/fields.ts';
import { parseJson } from '../../../shared/json.ts';
import { type Job, job, job as jobSchema } from '../../schema/jobs/run.ts';
import { decodeChecked, type FieldProblem } from '../../schema/problems.ts';
import type { ReadResponse } from '../response.ts';

/** Texts shorter than this are parsed at once: it takes a few milliseconds. */
const smallText = 1_000_000;
/** A slice is parsed in a few milliseconds too. */
const sliceCharacters = 256_000;
/** How long work goes on before the process may do something else. */
const stretchInMs = 10;
/** The list's beginning, up to its first job; the first name of that job; and what stands between two jobs. */
const beginning = /^\s*\{\s*"jobs"\s*:\s*\[\s*(?=\{)/;
const firstName = /\{\s*"(?:[^"\\]|\\.)*"\s*:/y;

/** Gives the process a turn for other things. */
function yieldTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * Reads a jobs/list answer (Jobs API 2.0, Endpoints). A long one is cut between two jobs and parsed piece by piece, so
 * that 12,000 jobs never hold up the process. A job that cannot be read is left out, and told.
 * @returns undefined if the text is not the list that the document describes: the schema is left to say why
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

/** The jobs of a list as they are read, and what could not be. */
class ReadJobs {
  readonly #jobs: Job[] = [];
  #unreadable = 0;
  #first: FieldProblem | undefined;

  /** @returns false if the slice is not a list */
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

  /** @returns undefined if nothing could be read: that is for the schema to tell */
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
 * The jobs in pieces, each parsed. A place that looks like the border between two jobs is one exactly if what precedes
 * it parses as a list of its own, since a piece begins where a job begins.
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

/** More false borders than this, and the rest is parsed at once. */
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
        // Not a border: the same words stand deeper inside a job, or in a text.
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

/** Whether an id came as a number: in the code, INT64 ids are decimal strings. */
function needsText(id: unknown): id is number | bigint {
  return typeof id === 'number' || typeof id === 'bigint';
}

/**
 * One job as the `job` schema reads it (Jobs API 2.0, Job), in place and without the schema if everything is as the
 * document says: a list holds 12,000 of them.
 * @returns undefined if it is not a job
 */
function asJob(value: unknown): Job | undefined {
  if (!isFields(value)) return undefined;
  if (isPlain(value)) return value as Job;
  const decoded = z.safeDecode(job, value as z.input<typeof job>);
  return decoded.success ? decoded.data : undefined;
}

/** Whether every field is as the document says; the id is made text then. */
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
