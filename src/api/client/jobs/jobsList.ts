import * as z from 'zod';
import { type Fields, fieldsOf, isFields, type WritableFields } from '../../../shared/fields.ts';
import { parseJson } from '../../../shared/json.ts';
import { jobsRoutes } from '../../schema/jobs/routes.ts';
import { type Job, job, job as jobSchema } from '../../schema/jobs/run.ts';
import { decodeChecked, type FieldProblem } from '../../schema/problems.ts';
import type { Caller } from '../caller.ts';
import type { CallOptions } from '../client.ts';
import type { ReadResponse } from '../response.ts';

type ListJobsRequest = z.output<typeof jobsRoutes.list.request>;
type JobsResponse = z.output<typeof jobsRoutes.list.response>;

/** Length in characters below which a text is parsed at once, which takes a few milliseconds. */
const smallText = 1_000_000;
/** Length in characters of a slice, which is parsed in a few milliseconds. */
const sliceCharacters = 256_000;
/** How long to work before yielding to the event loop, in milliseconds. */
const stretchInMs = 10;
/** Maximum number of jobs in a page (Jobs API 2.1, jobs/list). */
const maxPageSize = 100;
/** Maximum number of successive pages without a new job: a service that repeats itself would never end. */
const maxIdlePages = 10;
/** Start of the list up to its first job, the first field name of that job, and the text between two jobs. */
const beginning = /^\s*\{\s*"jobs"\s*:\s*\[\s*(?=\{)/;
const firstName = /\{\s*"(?:[^"\\]|\\.)*"\s*:/y;

/** A response to jobs/list; services of newer versions divide the list into pages. */
type JobsPage = JobsResponse & { jobs: Job[] };

/** Reads all jobs (jobs/list): in one response, as the document says, or page by page if the service divides the list. */
export async function readAllJobs(caller: Caller, options?: CallOptions): Promise<Job[]> {
  const route = jobsRoutes.list;
  const read = (request: ListJobsRequest): Promise<JobsResponse> =>
    caller.deliver(route, caller.prepare(route, request), options, readJobsList);
  let page = await read({});
  const first = page.jobs ?? [];
  if (!page.has_more && !page.next_page_token) return first;
  const jobs = new Map(first.map((job) => [job.job_id, job]));
  for (let idlePages = 0; idlePages < maxIdlePages && (page.has_more || page.next_page_token);) {
    const { next_page_token: token } = page;
    const before = jobs.size;
    page = await read({ limit: maxPageSize, ...(token ? { page_token: token } : { offset: jobs.size }) });
    for (const job of page.jobs ?? []) jobs.set(job.job_id, job);
    if (jobs.size === before && page.next_page_token === token) break;
    idlePages = jobs.size === before ? idlePages + 1 : 0;
  }
  return [...jobs.values()];
}

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
export async function readJobsList(text: string): Promise<ReadResponse<JobsPage> | undefined> {
  const read = new ReadJobs();
  if (text.length < smallText) {
    if (!read.add(parseJson(text))) return undefined;
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

/** Collects the jobs of a list as they are read, and those that could not be read. */
class ReadJobs {
  readonly #jobs: Job[] = [];
  #unreadable = 0;
  #first: FieldProblem | undefined;
  #paging: Omit<JobsPage, 'jobs'> = {};

  /**
   * Adds a part of a response: an object with the list `jobs`, and perhaps the paging fields.
   * @returns false if it is not such an object
   */
  add(part: unknown): boolean {
    const { jobs, has_more: hasMore, next_page_token: token } = fieldsOf(part) ?? {};
    if (!Array.isArray(jobs)) return false;
    this.#paging = {
      ...(hasMore === true ? { has_more: true } : {}),
      ...(typeof token === 'string' && token !== '' ? { next_page_token: token } : {}),
    };
    for (const item of jobs as unknown[]) {
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
  response(): ReadResponse<JobsPage> | undefined {
    const value = { jobs: this.#jobs, ...this.#paging };
    if (!this.#first) return { value };
    if (this.#jobs.length === 0) return undefined;
    return {
      value,
      skipped: { count: this.#unreadable, total: this.#jobs.length + this.#unreadable, first: this.#first },
    };
  }
}

/**
 * Yields the response in parsed parts. A position that looks like the border between two jobs is one exactly if the text before it parses as a
 * list, since every slice begins at a job.
 */
function* slicesOf(text: string): Generator<unknown> {
  const start = beginning.exec(text)?.[0].length;
  firstName.lastIndex = start ?? 0;
  const opening = start === undefined ? undefined : firstName.exec(text)?.[0];
  if (start === undefined || opening === undefined) {
    yield parseJson(text);
    return;
  }
  let from = start;
  for (;;) {
    const piece = nextPiece(text, from, opening);
    if (!piece) break;
    yield { jobs: piece.items };
    from = piece.next;
  }
  yield parseJson(`{"jobs":[${text.slice(from)}`);
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
