import assert from 'node:assert/strict';
import type { GuideAnswer } from '../../../../../src/service/models/guide/guideReply.ts';
import { lookUp, pointsBack, together } from '../../../../../src/service/models/guide/lookUp.ts';
import { assertApproved } from '../../../../support/approved.ts';
import { holdPhrases } from './phrases.ts';

describe('looking something up', () => {
  const ask = (text: string, before = ''): GuideAnswer => lookUp({ text, before, first: false, toolResults: [] });
  const parts = (answer: GuideAnswer): number => answer.markdown.split('\n\n---\n\n').length;
  const pathOf = (answer: GuideAnswer): unknown => (answer.facts as { path?: string }).path;
  const all = 'max_retries, timeout_seconds, max_concurrent_runs and schedule.timezone_id';

  it('tells of what is named, at most of three things at once, the first of which stands for all', () => {
    const answer = ask(`What are ${all}?`);
    assert.deepEqual([parts(answer), pathOf(answer), answer.confidence], [3, 'max_retries', 1]);
    assert.match(
      answer.markdown,
      /\*\*`max_retries`\*\*[^]*\*\*`timeout_seconds`\*\*[^]*\*\*`max_concurrent_runs`\*\*/,
    );
    // The fourth stands among what is related.
    assert.ok((answer.facts as { related: string[] }).related.includes('schedule.timezone_id'));
    const one = ask('What is max_retries?');
    assert.deepEqual([parts(one), one.summary], [1, ask('max_retries').summary]);
    assert.match(one.markdown, /\nExample:\n\n```yaml\n[^]*max_retries:/);
  });

  it('takes a question that points back for one about what was asked before', () => {
    assert.equal(pathOf(ask('And what is its default?', 'What is max_retries?')), 'max_retries');
    assert.equal(parts(ask('And what is its default?', `What are ${all}?`)), 1);
    assert.equal(pathOf(ask('And its timeout_seconds?', 'What is max_retries?')), 'timeout_seconds');
    assert.deepEqual(
      ask('and what is its default?', 'How do I pause a schedule? giraffe lion tiger'),
      ask('and what is its default?', 'How do I pause a schedule?'),
      'words that nobody knows change nothing',
    );
    for (const [text, expected] of [
      ['What is its default?', true],
      ['How about Tuesday?', true],
      ['and what of Tuesday', true],
      ['What is the default?', false],
      ['item', false],
    ] as const)
      assert.equal(pointsBack(text), expected, text);
  });

  it('knows a schedule by its words', () => {
    const answer = ask('every Monday at 9');
    assert.match(answer.markdown, /To run every Monday at 09:00: `0 0 9 \? \* MON`\./);
    assert.match((answer.facts as { example: string }).example, /quartz_cron_expression: 0 0 9 \? \* MON/);
    assert.equal(ask('Monday at 9').markdown.includes('0 0 9'), false);
  });

  it('lists what is below a field, or else what is related to it', () => {
    assert.match(ask(`What are ${all}?`).markdown, /\nRelated:\n- `timeout_seconds`/);
    assert.match(ask('`schedule`').markdown, /\nThey are:\n- `schedule\.quartz_cron_expression`/);
    const { related } = ask('timeout_seconds').facts as { related: string[] };
    assert.ok(related.length <= 4 && !related.includes('timeout_seconds'), related.join());
  });

  it('is less sure of a field that a long question merely names, and finds nothing about anything else', () => {
    const long =
      'how do I set max_retries when my job fails because the database of another department is not reachable on Sundays';
    assert.deepEqual([pathOf(ask(long)), ask(long).confidence], ['max_retries', 0.51]);
    assert.deepEqual([ask('zebra').found, ask('zebra').confidence], [false, 0]);
  });

  it('names a command that does what is asked for, and the view that has it', () => {
    for (const [text, title, view] of [
      ['show runs by job', 'Show Runs by Job', 'Jobs'],
      ['delete chat', 'Delete Chat', 'Chat'],
    ] as const) {
      const { markdown, summary, facts } = ask(text);
      assert.deepEqual(facts, { command: title });
      assert.match(markdown, new RegExp(`^\\*\\*Millrace: ${title}\\*\\* does that.* view \\*\\*${view}\\*\\*\\.$`));
      assert.doesNotMatch(summary, /\*/);
    }
  });

  it('tells nothing of nothing', () => assert.throws(() => together([]), RangeError));

  it('finds, of what is asked in words, what was approved', () => {
    const questions: readonly (readonly [text: string, before?: string])[] = [
      ...['max_retries', 'What is `name`?', 'libraries', '`libraries`', '`new_cluster`', 'spark_python_task'],
      ...['millrace.local.python', 'max_retries or retry_on_timeout', 'What are the values of `pause_status`?'],
      ...['How do I retry a failed run?', 'how do I install a package', 'which events send an e-mail', 'temperature'],
      ...['why did it open the chat', 'open the run page', 'why open the run page', 'show runs by job', 'delete chat'],
      ...['deploy job file', 'first job', 'What is a cluster?', 'How do I create a job?', 'get started with two tasks'],
      ...['several tasks, the size of results and a flaky first job', 'run', 'job', 'jobs and runs', 'colour of zebra'],
      ...['every day at 5', 'hourly', 'each zebra at 5', 'monthly zebra', 'every other zebra'],
      ...['time zone', 'the schedule of a zebra', 'retry zebra lion tiger bear', 'retry zebra', 'cluster zebra lion'],
      ...['notebook parameters', 'timeout', 'webhook', 'stop sequences', 'spot price', 'seed', 'idempotency zebra'],
      'how do I set the field max_retries when my job at work fails because a database of another team is away on Sundays',
      ...['how to export', 'export', 'delete', 'limits', 'maximum size of output', 'where are the logs', 'environment'],
    ].map((text) => [text] as const);
    const pointing = [
      ['And what is its default?', 'What is max_retries?'],
      ['What about timeouts?', 'What is max_retries?'],
      ['its default', 'How do I pause a schedule?'],
      ['and on Sundays', 'How do I pause a schedule?'],
      ['zebra', 'How do I pause a schedule?'],
      ['pause', 'zebra'],
      ['there', 'max_retries and timeout_seconds'],
      ['is this for a notebook with parameters in it', 'max_retries'],
      ['How do I pause a schedule of another job?', 'max_retries'],
      ['run', 'notebook parameters'],
    ] as const;
    const lines = [...questions, ...pointing].map(([text, before = '']) => {
      const { found, confidence, markdown, summary, facts } = ask(text, before);
      const { example, ...rest } = facts;
      const heads = markdown.split('\n\n---\n\n').map((part) => part.split('\n').slice(0, 3).join(' | '));
      return [
        `>>> ${text}${before === '' ? '' : ` (after: ${before})`}`,
        `${found} ${confidence.toFixed(3)} ${heads.map((head) => head.slice(0, 160)).join(' --- ')}`,
        `${summary.slice(0, 80)} ${JSON.stringify(rest)}`,
        `${markdown.length} characters${example === undefined ? '' : ', with an example'}`,
        ...(found ? [] : [markdown]),
        '',
      ].join('\n');
    });
    assertApproved('guide-lookups', lines.join('\n'));
  });

  holdPhrases('questions', (phrase) => {
    const { found, confidence, markdown } = ask(phrase, 'What is max_retries?');
    return `${found} ${confidence.toFixed(2)} ${markdown.slice(0, 60).replaceAll('\n', ' ')}`;
  });
});
