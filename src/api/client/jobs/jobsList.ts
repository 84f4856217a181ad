import { fieldsOf } from '../../../shared/fields.ts';
import { parseJson } from '../../../shared/json.ts';
import { job as jobSchema, type Job } from '../../schema/jobs/run.ts';
import { decodeChecked, type FieldProblem } from '../../schema/problems.ts';
import type { ReadResponse } from '../response.ts';
import { asJob } from './asJob.ts';

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
