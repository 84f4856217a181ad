import { exampleSettings, exampleYaml } from './exampleJob.ts';
import { fenced } from './explainFailure.ts';
import { type FieldDoc, jobFileArea } from './fieldDocs.ts';
import { type GuideAnswer, nothingFound } from './guideReply.ts';
import { type Entry, getKnowledge, type Knowledge } from './knowledge.ts';
import type { Question } from './question.ts';
import { readSchedule, zoneIn } from './scheduleWords.ts';
import type { Hit } from './searchIndex.ts';
import { termsOf } from './terms.ts';
import type { Topic } from './topic.ts';
import { topics } from './topics.ts';

/** Minimum share of a question's words, weighted by rarity, that a hit must cover. */
const minCoverage = 0.51;
const minRarity = 0.7;
/** Minimum share of headwords. Words somewhere in a text do not make it the topic. */
const minHeadCoverage = 0.48;
/** Below these shares, the answer is marked as unsure. */
const [sureCoverage, sureHeadCoverage] = [0.85, 0.6];
const notSure = 'I am not sure that this is what you ask. It is the nearest that I know:';
/** Weight of the previous question's terms for a follow-up question. */
const weightOfBefore = 0.5;
/** Minimum coverage for a field. A single field is rarely the answer to a question in plain words. */
const minCoverageOfField = 0.75;
const maxRelated = 4;
/** Maximum number of topics or fields in one answer. */
const maxAtOnce = 3;

/** Answers from the fields and topics of both APIs. */
export function lookUp(question: Question): GuideAnswer {
  const knowledge = getKnowledge();
  const hits = search(knowledge, question);
  const namedNow = knowledge.fieldsNamedIn(question.text);
  const named =
    namedNow.length === 0 && pointsBack(question.text) && (hits[0]?.coverage ?? 0) < 1
      ? knowledge.fieldsNamedIn(question.before)
      : namedNow;
  const compared = comparedIn(knowledge, question.text);
  if (compared.length > 0) return together(compared.map((field) => fieldAnswer(knowledge, field, [], 1)));
  const [leading] = named;
  if (leading && isAboutField(question.text, named))
    return together([
      fieldAnswer(knowledge, leading, related(hits, leading, named.slice(1)), 1),
      ...(namedNow === named ? named.slice(1, maxAtOnce) : []).map((field) => fieldAnswer(knowledge, field, [], 1)),
    ]);
  const sure = topics.filter(({ match }) => match?.some((pattern) => pattern.test(question.text))).slice(0, maxAtOnce);
  if (sure.length > 0) return together(sure.map((topic) => topicAnswer(knowledge, topic, question.text, 1)));
  // Questions with "why" or "which" do not ask for a command.
  const command = /\bwh(?:y|ich)\b/i.test(question.text) ? undefined : knowledge.commandFor(question.text);
  if (command !== undefined && (hits[0]?.coverage ?? 0) < 1) return commandAnswer(command);
  const best = hits.find(
    ({ coverage, headCoverage, value }) =>
      coverage >= (value.kind === 'field' ? minCoverageOfField : minCoverage) && headCoverage >= minHeadCoverage,
  );
  const timed = best ? undefined : scheduleTopic(question.text);
  if (timed) return topicAnswer(knowledge, timed, question.text, minCoverage);
  if (!best)
    return leading
      ? fieldAnswer(knowledge, leading, named.slice(1), minCoverage)
      : nothingFound(question.text, nearest(hits));
  const answer =
    best.value.kind === 'topic'
      ? topicAnswer(knowledge, best.value, question.text, best.coverage)
      : fieldAnswer(knowledge, best.value, related(hits, best.value, []), best.coverage);
  return best.coverage < sureCoverage || best.headCoverage < sureHeadCoverage
    ? { ...answer, isUnsure: true, markdown: `${notSure}\n\n${answer.markdown}` }
    : answer;
}

/** Joins several answers. Summary and facts come from the first. */
export function together([first, ...others]: readonly GuideAnswer[]): GuideAnswer {
  if (!first) throw new RangeError('Nothing to tell');
  return { ...first, markdown: [first, ...others].map(({ markdown }) => markdown).join('\n\n---\n\n') };
}

/** Returns the schedule topic for texts such as "every Monday at 9", whose words are not in the documentation. */
function scheduleTopic(text: string): Topic | undefined {
  const isTimed =
    /\b(?:every|each|daily|hourly|weekly|monthly|nightly)\b/i.test(text) && readSchedule(text) !== undefined;
  return isTimed ? topics.find((topic) => topic.id === 'schedule') : undefined;
}

function search(knowledge: Knowledge, question: Question): Hit<Entry>[] {
  const terms = new Map<string, number>();
  for (const term of termsOf(question.text)) terms.set(term, 1);
  // "Job" and "run" appear nearly everywhere, so they find nothing by themselves.
  const isTelling = [...terms.keys()].some((term) => knowledge.index.rarity(term) > minRarity);
  const alone = isTelling ? preferTopics(knowledge.index.search(terms)) : [];
  if ((terms.size > 2 && !pointsBack(question.text)) || question.before === '' || (alone[0]?.coverage ?? 0) > 0.99)
    return alone;
  for (const term of termsOf(question.before))
    if (!terms.has(term) && knowledge.index.knows(term)) terms.set(term, weightOfBefore);
  return preferTopics(knowledge.index.search(terms));
}

/** Returns whether a question such as "And what is its default?" refers to the previous one. */
export function pointsBack(text: string): boolean {
  return /\b(?:it|its|that|this|them|those|these|there|instead|and what|what about|how about)\b/i.test(text);
}

/** Score factor for topics. A question without a field's name is usually about a task, not about one field. */
const topicBonus = 1.3;

function preferTopics(hits: readonly Hit<Entry>[]): Hit<Entry>[] {
  return hits
    .map((hit) => (hit.value.kind === 'topic' ? { ...hit, score: hit.score * topicBonus } : hit))
    .sort((left, right) => right.score - left.score);
}

/** Returns the fields compared in "the difference between n and max_tokens" or "temperature vs top p". */
function comparedIn({ fieldCalled }: Knowledge, text: string): FieldDoc[] {
  if (text.length > 200 || !/\b(?:vs|versus|diff\w*|compar\w*|between|same)\b/i.test(text)) return [];
  const sides = text
    .split(/\s(?:vs\.?|versus|or|and|from|with|to|as)\s/i)
    .map((part) => part.match(/\b(?!(?:the|an?)\b)[a-z_][\w.]*\b/gi) ?? []);
  const named = sides.map((words, index) =>
    [3, 2, 1]
      .map((count) => fieldCalled((index === 0 ? words.slice(-count) : words.slice(0, count)).join('_')))
      .find((field) => field !== undefined),
  );
  const found = [...new Set(named)].filter((field) => field !== undefined);
  return found.length > 1 ? found : [];
}

/** Returns whether a question such as "What is max_retries?" is about the field. A long question only mentions it. */
function isAboutField(text: string, named: readonly FieldDoc[]): boolean {
  return named.length > 0 && termsOf(text).length <= 6 + 3 * named.length;
}

/** Returns titles of possible topics whose score is too low for an answer. */
function nearest(hits: readonly Hit<Entry>[]): string[] {
  return hits
    .flatMap(({ value, headCoverage }) => (value.kind === 'topic' && headCoverage > 0.25 ? [value.title] : []))
    .slice(0, 3);
}

function related(hits: readonly Hit<Entry>[], leading: FieldDoc, first: readonly FieldDoc[]): FieldDoc[] {
  const best = hits[0]?.score ?? 0;
  const close = hits.filter((hit) => hit.score > best * 0.5).map((hit) => hit.value);
  const fields = [...first, ...close.filter((entry): entry is FieldDoc => entry.kind === 'field')];
  return [...new Set(fields)].filter((field) => field.path !== leading.path).slice(0, maxRelated);
}

function fieldAnswer(
  knowledge: Knowledge,
  field: FieldDoc,
  others: readonly FieldDoc[],
  confidence: number,
): GuideAnswer {
  const parts = [fieldSection(field)];
  const below = field.children
    .map((child) => knowledge.fieldAt(`${field.path}${field.type.startsWith('list') ? '[]' : ''}.${child}`))
    .filter((child) => child !== undefined);
  const listed = below.length > 0 && below.length <= 8 ? below : others;
  if (listed.length > 0)
    parts.push(`${listed === below ? 'They are' : 'Related'}:\n${listed.map(fieldItem).join('\n')}`);
  const example = field.area === jobFileArea ? exampleOf(field.path) : undefined;
  if (example) parts.push(`Example:\n\n${fenced(example, 'yaml')}`);
  return {
    found: true,
    confidence,
    markdown: parts.join('\n\n'),
    summary: field.description,
    facts: {
      path: field.path,
      name: field.name,
      type: field.type,
      default: field.default,
      limits: field.limits.join(', '),
      values: field.values,
      area: field.area,
      details: factsOf(field),
      example,
      related: listed.map((other) => other.path),
    },
  };
}

function commandAnswer(title: string): GuideAnswer {
  const view = /\bChats?\b/.test(title) ? 'Chat' : 'Jobs';
  const markdown = `**Millrace: ${title}** does that. It is in the command palette (F1), and where it fits in the menus of the view **${view}**.`;
  return { found: true, confidence: minCoverage, markdown, summary: plain(markdown), facts: { command: title } };
}

function plain(markdown: string): string {
  return markdown.replaceAll('**', '').replaceAll('`', '');
}

function topicAnswer(knowledge: Knowledge, topic: Topic, asked: string, confidence: number): GuideAnswer {
  const fields = topic.fields.map((path) => knowledge.fieldAt(path)).filter((field) => field !== undefined);
  const schedule = topic.id.endsWith('schedule') ? readSchedule(asked) : undefined;
  const zone = topic.example === 'schedule' ? zoneIn(asked) : undefined;
  const example = topic.example ? exampleOf(topic.example, schedule?.expression, zone) : undefined;
  const parts = [`**${topic.title}**`];
  if (schedule)
    parts.push(
      `To run ${schedule.words}: \`${schedule.expression}\`${zone === undefined ? '' : `, with \`timezone_id: ${zone}\``}.`,
    );
  parts.push(topic.text);
  if (fields.length > 0) parts.push(fields.map(fieldItem).join('\n'));
  if (example) parts.push(`Example:\n\n${fenced(example, 'yaml')}`);
  const [first] = fields;
  return {
    found: true,
    confidence,
    markdown: parts.join('\n\n'),
    summary: plain(topic.text),
    facts: {
      title: topic.title,
      path: first?.path,
      name: first?.name,
      type: first?.type,
      default: first?.default,
      example,
      related: fields.map((field) => field.path),
    },
  };
}

function exampleOf(path: string, cron?: string, zone?: string): string | undefined {
  const settings = exampleSettings(path);
  if (settings && (cron !== undefined || zone !== undefined))
    settings['schedule'] = {
      ...(settings['schedule'] as object),
      ...(cron !== undefined && { quartz_cron_expression: cron }),
      ...(zone !== undefined && { timezone_id: zone }),
    };
  return settings && exampleYaml(settings);
}

/** Returns type, unit, default, limits and values in one line. */
function factsOf(field: FieldDoc): string {
  const facts = [field.unit ? `${field.type}, in ${unitName(field.unit)}` : field.type];
  facts.push(field.required ? 'required' : 'optional');
  if (field.default !== undefined) facts.push(`default: ${plainDefault(field.default)}`);
  if (field.limits.length > 0) facts.push(field.limits.join(', '));
  if (field.values.length > 0) facts.push(`values: ${field.values.map((value) => `\`${value}\``).join(', ')}`);
  if (field.deprecated) facts.push('deprecated');
  return facts.join(' · ');
}

/** Formats a default: a sentence stays plain text, a value becomes code. */
function plainDefault(value: string): string {
  return /\s/.test(value) ? value : `\`${value}\``;
}

function unitName(unit: string): string {
  return ({ s: 'seconds', ms: 'milliseconds' } as Record<string, string>)[unit] ?? unit;
}

/** Formats one field in full. */
function fieldSection(field: FieldDoc): string {
  const children =
    field.children.length > 0
      ? `\n\nFields below it: ${field.children.map((child) => `\`${child}\``).join(', ')}.`
      : '';
  return `**\`${field.path}\`** (${field.area})\n${factsOf(field)}\n\n${field.description}${children}`;
}

/** Formats one field as a list item. */
function fieldItem(field: FieldDoc): string {
  return `- \`${field.path}\` (${factsOf(field)}): ${firstSentence(field.description)}`;
}

function firstSentence(text: string): string {
  return /^.+?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}
