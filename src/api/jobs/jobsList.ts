import { parseJson } from '../../shared/json.ts';
import type { Job } from './run.ts';
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
 * that 12,000 jobs never hold up the process.
 * @returns undefined where the text is not the list that the document describes: the schema is left to say why
 * @throws SyntaxError where the text is not JSON
 */
export async function readJobsList(text: string): Promise<Job[] | undefined> {
  if (text.length < smallText) return asJobs((parseJson(text === '' ? '{}' : text) as { jobs?: unknown } | null)?.jobs);
  const jobs: Job[] = [];
  let stretchStart = performance.now();
  for (const slice of slicesOf(text)) {
    const items = asJobs(slice);
    if (!items) return undefined;
    for (const item of items) jobs.push(item);
    if (performance.now() - stretchStart > stretchInMs) {
      await yieldTurn();
      stretchStart = performance.now();
    }
  }
  return jobs;
}

function asJobs(value: unknown): Job[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return undefined;
  const jobs: Job[] = [];
  for (const item of value) {
    const job = asJob(item);
    if (!job) return undefined;
    jobs.push(job);
  }
  return jobs;
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
    yield (parseJson(text) as { jobs?: unknown } | null)?.jobs;
    return;
  }
  let from = start;
  for (;;) {
    const piece = nextPiece(text, from, opening);
    if (!piece) break;
    yield piece.items;
    from = piece.next;
  }
  yield (parseJson(`{"jobs":[${text.slice(from)}`) as { jobs?: unknown }).jobs;
}

/** More false borders than this, and the rest is parsed at once. */
const mostTries = 20;

function nextPiece(text: string, from: number, opening: string): { items: unknown; next: number } | undefined {
  let at = from + sliceCharacters;
  for (let tries = 0; tries < mostTries; tries++) {
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
