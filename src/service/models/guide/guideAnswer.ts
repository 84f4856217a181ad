import { type Document, parseDocument } from 'yaml';
import { checkJobSettings, jobSettingsShape } from '../../../api/schema/jobs/schemas.ts';
import { dateTimeFormat } from '../../../shared/dateTimeFormat.ts';
import { nextFireTimes } from '../../../shared/quartz/quartz.ts';
import { otherLanguage, questionsOf, spelled } from './askedWords.ts';
import { exampleSettings, exampleYaml } from './exampleJob.ts';
import { explainFailure, fenced } from './explainFailure.ts';
import { type GuideAnswer, notAModel } from './guideReply.ts';
import { composeJob } from './jobComposer.ts';
import { getKnowledge } from './knowledge.ts';
import { lookUp, pointsBack, together } from './lookUp.ts';
import type { Question } from './question.ts';

/**
 * Answers one question of a conversation. Except for fire times, the same question always gets the same answer.
 * @param nowInMs epoch milliseconds from which fire times are computed
 */
export function answerQuestion(question: Question, nowInMs: number): GuideAnswer {
  const results = question.toolResults;
  if (results.length > 0) return reportTools(results);
  const asked = { ...question, text: ownWords(question.text), before: ownWords(question.before) };
  const special = smallTalk(asked.text);
  if (special) return special;
  // Check attachments first: failures and job files are usually attached.
  const answer =
    explainFailure(question.text) ??
    describeAttachedRun(question.text) ??
    describeJobFile(question.text) ??
    answerAboutCron(asked.text, nowInMs) ??
    composeJob(asked.text) ??
    lookUpAsked(asked, question);
  if (!question.first || !answer.found) return answer;
  return { ...answer, markdown: `${answer.markdown}\n\n_${notAModel}_` };
}

/** Looks up the user's words, then the attachment if the words alone lead nowhere ("What does this mean?"). */
function lookUpAsked(asked: Question, whole: Question): GuideAnswer {
  const answer = lookUpAll(asked);
  if (answer.found) return answer;
  const ofWhole = asked.text === whole.text || !pointsBack(asked.text) ? answer : lookUp(whole);
  if (ofWhole.found) return ofWhole;
  const text = spelled(asked.text);
  const ofSpelled = text === asked.text ? answer : lookUpAll({ ...asked, text });
  if (ofSpelled.found) return { ...ofSpelled, markdown: `I read that as "${text}".\n\n${ofSpelled.markdown}` };
  const reply = otherLanguage(asked.text);
  return reply === undefined ? answer : { ...answer, markdown: `${reply}\n\n${answer.markdown}` };
}

/** Answers each question of a text that asks several. */
function lookUpAll(asked: Question): GuideAnswer {
  const answers = questionsOf(asked.text)
    // The answer to the previous question covers "And how do I change it".
    .filter((text, index) => index === 0 || !/\b(?:it|that|this|them)\W*$/.test(text))
    .map((text) => ({ text, ...lookUp({ ...asked, text }) }))
    // Drop guesses at the meaning of "it".
    .filter(({ found, isUnsure, text }, index) => found && (index === 0 || isUnsure !== true || !pointsBack(text)));
  // Keep only one guess.
  const likely = answers.every(({ isUnsure }) => isUnsure === true) ? answers.slice(0, 1) : answers;
  const different = [...new Map(likely.map((answer) => [answer.summary, answer])).values()];
  return different.length > 1
    ? together(different.slice(0, 3))
    : likely.length < answers.length && different[0]
      ? different[0]
      : lookUp(asked);
}

/** Answers to questions about the guide itself; the patterns match lowercase text. */
const aboutMe = [
  /\b(?:who|what) are you\b/,
  /^what (?:does|is|can) (?:this|the|millrace)(?: (?:extension|plugin|chat|guide))?(?: do| for)?$/,
  /\bwhat can (?:you|i ask)\b/,
  /\b(?:which|what) (?:language )?model (?:am i|is this|are you|do i (?:talk|chat|speak))\b/,
  /^help$/,
  /^what do you (?:know|do)\b/,
];

function smallTalk(text: string): GuideAnswer | undefined {
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/(?<![!?.,])[!?.,]+$/, '');
  const isAboutMe = aboutMe.some((words) => words.test(plain));
  if (
    isAboutMe ||
    /\bare you (?:an? )?(?:ai|bot|robot|human|person|llm|(?:large )?language model|real)\b/.test(plain)
  ) {
    const markdown =
      `${notAModel} The same question always gets the same answer, and a system prompt does not change me.\n\n` +
      'I can explain every field of a job file and of both APIs, check a job file that you paste, write ' +
      'one from a description, tell why a run failed from its traceback, and when a cron expression fires. In the chat of ' +
      'the editor I also look at your own jobs and runs: "Which runs failed today?", "Why did etl fail?", "Run etl".';
    return { found: true, confidence: 1, markdown, summary: notAModel, facts: {} };
  }
  if (
    /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks?(?: you)?|thank you.*|ok(?:ay)?|great|cool)(?: there)?$/.test(
      plain,
    )
  ) {
    const markdown = /^(?:hi|hello|hey|good)/.test(plain)
      ? `Hello. ${notAModel} Ask me about job files, runs or the model API.`
      : 'You are welcome. Ask on about job files, runs or the model API.';
    return { found: true, confidence: 1, markdown, summary: markdown, facts: {} };
  }
  return undefined;
}

function reportTools(results: readonly string[]): GuideAnswer {
  const joined = results.join('\n');
  const markdown =
    results.length === 1
      ? `The tool answered:\n\n${quote(joined)}`
      : `The tools answered:\n\n${results.map(quote).join('\n\n')}`;
  return { found: true, confidence: 1, markdown, summary: joined, facts: { result: joined } };
}

function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

const maxOutputLength = 2_000;

/** Describes the run whose state and output the chat has attached. Returns `undefined` if no run is attached. */
function describeAttachedRun(text: string): GuideAnswer | undefined {
  const lines = text.split('\n');
  // The line below the fence holds the run's name and state; the next lines hold its ids.
  const at = lines.findIndex((line, index) => / — \S/.test(line) && (lines[index - 1] ?? '').startsWith('```'));
  const fence = /^`+/.exec(lines[at - 1] ?? '')?.[0];
  const ids = lines.slice(at + 1, at + 4).find((line) => /^run \d+(?: · |$)/.test(line));
  if (fence === undefined || ids === undefined) return undefined;
  const end = lines.findIndex((line, index) => index > at && line.trim() === fence);
  const whole = lines.slice(at, end === -1 ? undefined : end);
  const [name = '', state = ''] = (whole[0] ?? '').split(' — ');
  const written = whole.slice(whole.findIndex((line) => line.startsWith('── '))).join('\n');
  const facts = ids.split(' · ').slice(1).join(', ');
  const head = `**${name}**: ${state}${facts === '' ? '' : `, ${facts}`}.`;
  const shown = written.length > maxOutputLength ? `…\n${written.slice(-maxOutputLength)}` : written;
  const markdown = written.startsWith('── ')
    ? `${head}\n\nWhat it wrote:\n\n${fenced(shown, 'text')}`
    : `${head} It wrote nothing.`;
  return { found: true, confidence: 1, markdown, summary: `${name}: ${state}.`, facts: { name, state } };
}

const cronWord = String.raw`(?:[\d*?/,\-#LW]|MON|TUE|WED|THU|FRI|SAT|SUN|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)+`;
// The quadratic time does not matter, because questions are short.
// oxlint-disable-next-line regexp/no-super-linear-move
const cronPattern = new RegExp(String.raw`(?<![\w*?])${cronWord}(?: +${cronWord}){5,6}(?![\w*?])`, 'i');
const zonePattern = /\b(?:UTC|[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?)\b/;
const shownTimes = 5;

/**
 * Returns the next fire times of a Quartz expression in the question, or `undefined` if there is no expression.
 * @param nowInMs epoch milliseconds from which to count
 */
function answerAboutCron(text: string, nowInMs: number): GuideAnswer | undefined {
  const expression = cronPattern.exec(text)?.[0];
  if (expression === undefined) return undefined;
  const zone = zonePattern.exec(text)?.[0] ?? 'UTC';
  try {
    const times = nextFireTimes(expression, zone, nowInMs, shownTimes);
    const format = dateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'full', timeStyle: 'medium' });
    const list = times.map((time) => `- ${format.format(time)}`);
    const settings = exampleSettings('schedule') ?? {};
    settings['schedule'] = { quartz_cron_expression: expression, timezone_id: zone };
    const when = times.length === 0 ? 'It never fires again.' : `It fires next, in ${zone}:\n\n${list.join('\n')}`;
    return {
      found: true,
      confidence: 1,
      markdown: `\`${expression}\` is a valid Quartz expression. ${when}\n\nIn a job file:\n\n${fenced(exampleYaml(settings), 'yaml')}`,
      summary: times.length === 0 ? 'It never fires again.' : `It fires next at ${list[0]?.slice(2) ?? ''} (${zone}).`,
      facts: {
        expression,
        timezone: zone,
        times: times.map((time) => new Date(time).toISOString()),
        example: exampleYaml(settings),
      },
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      found: true,
      confidence: 1,
      markdown: `\`${expression}\` is not a valid Quartz expression: ${reason}`,
      summary: reason,
      facts: { expression, problem: reason },
    };
  }
}

/** Maximum length of a job file in characters. Nobody pastes a longer job file into a chat. */
const maxTextLength = 100_000;
const maxProblems = 12;

const fencedBlock = /```[\w-]*\n([\s\S]*?)```/g;

/** Checks the job file in the question. Returns `undefined` if there is none. */
function describeJobFile(text: string): GuideAnswer | undefined {
  if (text.length > maxTextLength) return undefined;
  const blocks = [...text.matchAll(fencedBlock)].map(([, block]) => block ?? '');
  const source = (blocks.length > 0 ? blocks : [text]).find(looksLikeJobFile);
  return source === undefined ? undefined : check(source);
}

/** Returns whether at least one line starts with a top-level field of a job file. */
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
    // The document has too many aliases, or an alias without an anchor.
    return [error instanceof Error ? error.message : String(error)];
  }
  const problems: string[] = [];
  const result = jobSettingsShape.safeParse(settings);
  if (!result.success) problems.push(...result.error.issues.map((issue) => problemText(issue.path, issue.message)));
  checkJobSettings(settings, (place, _code, message) => problems.push(problemText(place, message)));
  return [...problems, ...unknownFields(settings)];
}

/** Converts bigints to numbers if a number can hold them exactly. */
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

/**
 * Returns the question in the user's own words: the text without fenced blocks and the lines that name them, because attached files have
 * that form. Returns the names of the blocks if the text contains nothing else.
 */
export function ownWords(text: string): string {
  const kept: string[] = [];
  const names: string[] = [];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    if (fence !== undefined) {
      if (line.startsWith(fence) && /^`+\s*$/.test(line)) fence = undefined;
      continue;
    }
    fence = /^(`{3,})[^`]*$/.exec(line)?.[1];
    if (fence === undefined) {
      kept.push(line);
      continue;
    }
    const isNamed = kept.at(-1)?.endsWith(':') === true && (kept.length === 1 || kept.at(-2)?.trim() === '');
    if (isNamed) names.push((kept.pop() ?? '').slice(0, -1));
  }
  return kept.join('\n').trim() || names.join(', ');
}
