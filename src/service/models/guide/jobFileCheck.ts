import { type Document, parseDocument } from 'yaml';
import { checkJobSettings, jobSettingsShape } from '../../../api/schema/jobs/schemas.ts';
import { fenced } from './fencedText.ts';
import type { GuideAnswer } from './guideReply.ts';
import { getKnowledge } from './knowledge.ts';

/** Larger texts are not read: nobody pastes such a job file into a chat. */
const maxTextLength = 100_000;
const maxProblems = 12;

const fencedBlock = /```[\w-]*\n([\s\S]*?)```/g;

/** Checks a job file that the question carries. Undefined if it carries none. */
export function describeJobFile(text: string): GuideAnswer | undefined {
  if (text.length > maxTextLength) return undefined;
  const blocks = [...text.matchAll(fencedBlock)].map(([, block]) => block ?? '');
  const source = (blocks.length > 0 ? blocks : [text]).find(looksLikeJobFile);
  return source === undefined ? undefined : check(source);
}

/** At least one line `field:` of a job file's top level. */
function looksLikeJobFile(text: string): boolean {
  const names = [...text.matchAll(/^["']?([a-z_]+)["']?\s*:/gm)].map(([, name]) => name ?? '');
  return names.some(
    (name) =>
      /_task$|_cluster(?:_id)?$|_notifications$|^schedule$/.test(name) && getKnowledge().fieldAt(name) !== undefined,
  );
}

function check(source: string): GuideAnswer {
  const document = parseDocument(source, { intAsBigInt: true, prettyErrors: true, uniqueKeys: false });
  const problems = document.errors.map((error) => error.message.split('\n')[0] ?? error.message);
  if (problems.length === 0) problems.push(...problemsOf(document));
  const list = problems
    .slice(0, maxProblems)
    .map((problem) => `- ${problem}`)
    .join('\n');
  const more = problems.length > maxProblems ? `\n- and ${problems.length - maxProblems} more` : '';
  const markdown =
    problems.length === 0
      ? 'I checked this job file against the rules of the Jobs API: it is valid.'
      : 'I checked this job file against the rules of the Jobs API and found ' +
        `${problems.length === 1 ? 'one problem' : `${problems.length} problems`}:\n\n${list}${more}`;
  return {
    found: true,
    confidence: 1,
    markdown,
    summary: problems[0] ?? 'The job file is valid.',
    facts: { valid: problems.length === 0, problems, example: fenced(source, 'yaml') },
  };
}

function problemsOf(document: Document): string[] {
  let settings: unknown;
  try {
    settings = plainNumbers(document.toJS({ maxAliasCount: 100 }));
  } catch (error) {
    // It refers to itself too often, or to nothing.
    return [error instanceof Error ? error.message : String(error)];
  }
  const problems: string[] = [];
  const result = jobSettingsShape.safeParse(settings);
  if (!result.success) problems.push(...result.error.issues.map((issue) => problemText(issue.path, issue.message)));
  checkJobSettings(settings, (place, _code, message) => problems.push(problemText(place, message)));
  return [...problems, ...unknownFields(settings)];
}

/** Integers are read exactly; those that a number holds become numbers. */
function plainNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainNumbers(item)]));
}

function problemText(place: readonly PropertyKey[], message: string): string {
  const path = place
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
  return path === '' ? message : `\`${path}\`: ${message}`;
}

function unknownFields(settings: unknown): string[] {
  if (typeof settings !== 'object' || settings === null) return [];
  const knowledge = getKnowledge();
  return Object.keys(settings)
    .filter((name) => knowledge.fieldAt(name) === undefined)
    .map((name) => `\`${name}\` is not a field of Jobs API 2.0; it is sent as it is.`);
}
