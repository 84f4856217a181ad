import assert from 'node:assert/strict';
import { answerQuestion } from '../../../../../src/service/models/guide/guideAnswer.ts';
import type { GuideAnswer } from '../../../../../src/service/models/guide/guideReply.ts';

const ask = (text: string, before = ''): GuideAnswer =>
  answerQuestion({ text, before, first: false, toolResults: [] }, 0);
/** The heads of all that is told. */
const told = (text: string): string[] =>
  ask(text)
    .markdown.split('\n\n---\n\n')
    .map((part) => /^\*\*(.+?)\*\*/.exec(part)?.[1] ?? part.slice(0, 40));

describe('several questions at once', () => {
  for (const [text, ...heads] of [
    ['What is max_retries? What is timeout_seconds?', '`max_retries`', '`timeout_seconds`'],
    ['What is max_retries and how do I change it', '`max_retries`'],
    ['How do I pause it? What is max_retries?', 'Pausing a schedule', '`max_retries`'],
    ['What is max_retries; What is max_retries?', '`max_retries`'],
    ['How do I cancel a run? Which colour has the zebra? How do I export a run?', 'Cancelling runs', 'Exporting a run'],
    [
      'max_retries? timeout_seconds? max_concurrent_runs? existing_cluster_id?',
      '`max_retries`',
      '`timeout_seconds`',
      '`max_concurrent_runs`',
    ],
    [
      'How do I cancel a run? How do I export a run? Why was a run skipped? How do I delete a job?',
      'Cancelling runs',
      'Exporting a run',
      'Why a run was skipped',
    ],
  ] as const)
    it(`have their answers: ${text}`, () => assert.deepEqual(told(text), heads));

  it('are answered with the first of them where values are asked for', () =>
    assert.equal(ask('What is max_retries? What is timeout_seconds?').facts['path'], 'max_retries'));
});

describe('a question that leads nowhere', () => {
  const attached = (file: string, text: string): GuideAnswer =>
    ask(`part.yml:\n\`\`\`yaml\n${file}\n\`\`\`\n\n${text}`);

  it('is about what came with it if it points there, and only then', () => {
    assert.equal(attached('max_retries: 3', 'What does this mean?').facts['path'], 'max_retries');
    assert.equal(attached('max_retries: 3', 'Which colour has the zebra?').found, false);
    assert.equal(attached('max_retries: 3', 'What is timeout_seconds in this?').facts['path'], 'timeout_seconds');
  });

  it('is read as if it had no slips, and says so', () => {
    const { markdown } = ask('how do I cancle a run');
    assert.equal(markdown, `I read that as "how do I cancel a run".\n\n${ask('how do I cancel a run').markdown}`);
    assert.doesNotMatch(ask('how do I cancel a run').markdown, /I read that as/);
    assert.doesNotMatch(ask('Which colour has the zebra?').markdown, /I read that as/);
    assert.doesNotMatch(attached('zebra: 3', 'how do I cancel this run').markdown, /I read that as/);
  });

  it('is answered in its own language that English is needed, before what is said in any case', () => {
    const text = 'Was ist das und der die';
    const { found, markdown } = ask(text);
    assert.equal(found, false);
    assert.match(markdown, /^Ich verstehe nur Englisch: .*\n\nI found nothing about "Was ist das und der die" in /);
    assert.match(ask('zebra').markdown, /^I found nothing about "zebra" in /);
  });
});

describe('small talk', () => {
  const me = /^I am Millrace's built-in guide: .* I am not a language model\. The same question always gets/;
  const hello = /^Hello\. I am Millrace's built-in guide/;
  const welcome = /^You are welcome\. Ask on about job files, runs or the model API\.$/;
  for (const [kind, reply, ...texts] of [
    [
      'about the guide',
      me,
      ...[
        'Who are you?',
        'and what are you?!',
        'what can you do',
        'What can I ask here',
        'help',
        'HELP!',
        'what do you know',
      ],
      ...['what do you do', 'What does Millrace do?', 'what is this extension for', 'what can the guide do'],
      ...[
        'are you real',
        'are you a bot',
        'are you an ai',
        'are you human',
        'are you a large language model',
        'are you an llm?',
      ],
    ],
    ['of greeting', hello, '  HELLO THERE!!  ', 'hi', 'hey.', 'Good morning', 'good afternoon', 'good evening, '],
    [
      'of thanks',
      welcome,
      ...[
        'thanks',
        'Thank you!',
        'thanks you',
        'thank you so much for all of it',
        'ok',
        'okay',
        'great!',
        'cool',
        'OK there',
      ],
    ],
  ] as const)
    for (const text of texts)
      it(`is known as one ${kind}: ${text}`, () => {
        const { markdown, summary, ...rest } = ask(text);
        assert.match(markdown, reply);
        assert.ok(markdown.startsWith(summary));
        assert.deepEqual(rest, { found: true, confidence: 1, facts: {} });
      });

  for (const text of [
    'say hello',
    'hello world',
    'help me out',
    'thx',
    'you are real',
    'not ok',
    'what can the zebra do',
  ])
    it(`is not "${text}"`, () => {
      const { markdown } = ask(text);
      for (const reply of [me, hello, welcome]) assert.doesNotMatch(markdown, reply);
    });
});

describe('what functions gave', () => {
  const report = (...toolResults: string[]): GuideAnswer =>
    answerQuestion({ text: 'hello', before: '', first: true, toolResults }, 0);

  it('is quoted as it is, each by itself', () => {
    assert.deepEqual(report('a\nb'), {
      found: true,
      confidence: 1,
      markdown: 'The tool answered:\n\n> a\n> b',
      summary: 'a\nb',
      facts: { result: 'a\nb' },
    });
    assert.deepEqual(report('a', 'b'), {
      found: true,
      confidence: 1,
      markdown: 'The tools answered:\n\n> a\n\n> b',
      summary: 'a\nb',
      facts: { result: 'a\nb' },
    });
  });
});
