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
 * Answers one question of a conversation; the same question always has the same answer, fire times aside.
 * @param nowInMs epoch milliseconds from which fire times count
 */
export function answerQuestion(question: Question, nowInMs: number): GuideAnswer {
  const results = question.toolResults;
  if (results.length > 0) return reportTools(results);
  const asked = { ...question, text: ownWords(question.text), before: ownWords(question.before) };
  const special = smallTalk(asked.text);
  if (special) return special;
  // Failures and job files are what is attached; everything else is asked in words.
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

/** "What does this mean?" is about what is attached, if the words alone lead nowhere. */
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

/** Several questions at once have several answers. */
function lookUpAll(asked: Question): GuideAnswer {
  const answers = questionsOf(asked.text)
    // "And how do I change it" is answered with what is asked before.
    .filter((text, index) => index === 0 || !/\b(?:it|that|this|them)\W*$/.test(text))
    .map((text) => ({ text, ...lookUp({ ...asked, text }) }))
    // A guess at what "it" means is none.
    .filter(({ found, isUnsure, text }, index) => found && (index === 0 || isUnsure !== true || !pointsBack(text)));
  // Two that may be meant are one guess too many.
  const likely = answers.every(({ isUnsure }) => isUnsure === true) ? answers.slice(0, 1) : answers;
  const different = [...new Map(likely.map((answer) => [answer.summary, answer])).values()];
  return different.length > 1
    ? together(different.slice(0, 3))
    : likely.length < answers.length && different[0]
      ? different[0]
      : lookUp(asked);
}

/** Questions about the guide itself, in lower case. */
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

/** Says what a run did or does whose state and output are attached as the chat attaches them. Undefined if there is none. */
function describeAttachedRun(text: string): GuideAnswer | undefined {
  const lines = text.split('\n');
  // Its name and state in one line, below the fence; its ids in the next ones.
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
// Questions are short.
// oxlint-disable-next-line regexp/no-super-linear-move
const cronPattern = new RegExp(String.raw`(?<![\w*?])${cronWord}(?: +${cronWord}){5,6}(?![\w*?])`, 'i');
const zonePattern = /\b(?:UTC|[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?)\b/;
const shownTimes = 5;

/**
 * Tells when a Quartz expression in the question fires next. Undefined if there is none.
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

/** Larger texts are not read: nobody pastes such a job file into a chat. */
const maxTextLength = 100_000;
const maxProblems = 12;

const fencedBlock = /```[\w-]*\n([\s\S]*?)```/g;

/** Checks a job file that the question carries. Undefined if it carries none. */
function describeJobFile(text: string): GuideAnswer | undefined {
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

/**
 * What the user asks in their own words: the text without fenced blocks and the lines that name them, which is how
 * attached files come. A text of nothing but blocks is asked for by their names.
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
