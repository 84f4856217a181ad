import { otherLanguage, questionsOf, spelled } from './askedWords.ts';
import { describeAttachedRun } from './attachedRun.ts';
import { answerAboutCron } from './cronAnswer.ts';
import { explainFailure } from './explainFailure.ts';
import { notAModel, type GuideAnswer } from './guideReply.ts';
import { composeJob } from './jobComposer.ts';
import { describeJobFile } from './jobFileCheck.ts';
import { lookUp, pointsBack, together } from './lookUp.ts';
import { ownWords } from './ownWords.ts';
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
