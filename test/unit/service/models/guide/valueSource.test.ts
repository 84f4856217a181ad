import assert from 'node:assert/strict';
import type { GuideAnswer } from '../../../../../src/service/models/guide/guideReply.ts';
import { answerSource, argumentSource } from '../../../../../src/service/models/guide/valueSource.ts';
import { assertApproved } from '../../../../support/approved.ts';

describe('what fills an answer in JSON', () => {
  const facts = {
    path: 'schedule.timezone_id',
    name: 'timezone_id',
    title: 'A title',
    default: 'UTC 7',
    example: 'name: x',
    details: 'text',
    values: ['a', 'b', 5],
    problems: ['p'],
    related: ['r'],
    count: 4,
    required: false,
    'two words': 'w',
  };
  const answer = (more: object = {}): GuideAnswer => ({
    found: true,
    confidence: 1,
    markdown: '',
    summary: 'The summary 3.',
    facts,
    ...more,
  });
  const source = (more?: object, question = 'What is it 9?') => answerSource(question, answer(more));
  const text = (name: string, more?: object): unknown => source(more).text(name, '', {} as never);

  for (const [name, expected] of [
    ['question', 'What is it 9?'],
    ['user_query', 'What is it 9?'],
    ['fieldPath', 'schedule.timezone_id'],
    ['propertyName', 'schedule.timezone_id'],
    ['displayName', 'timezone_id'],
    ['title', 'timezone_id'],
    ['yamlExample', 'name: x'],
    ['code-snippet', 'name: x'],
    ['details', 'text'],
    ['twoWords', 'w'],
    ['two--words', 'w'],
    ['answer', 'The summary 3.'],
    ['count', 'The summary 3.'],
  ] as const)
    it(`is ${JSON.stringify(expected)} for ${name}`, () => assert.equal(text(name), expected));

  it('is the next best where a fact is missing', () => {
    assert.equal(text('path', { facts: { name: 'n' } }), 'n');
    assert.equal(text('name', { facts: { title: 't' } }), 't');
    for (const name of ['path', 'name', 'example']) assert.equal(text(name, { facts: { path: '' } }), 'The summary 3.');
  });

  it('is the choice that is spoken of, the longest, of the question first', () => {
    const choice = (choices: string[], question: string): unknown =>
      answerSource(question, answer()).text('kind', '', { choices } as never);
    assert.equal(choice(['retry', 'retry policy', ''], 'the Retry policy'), 'retry policy');
    assert.equal(choice(['summary', 'nine'], 'nine'), 'nine');
    assert.equal(choice(['timezone', 'none'], 'what'), 'timezone');
    assert.equal(choice(['nothing of it'], 'what'), undefined);
  });

  it('is the facts’ own numbers, marks and lists, else those of the words', () => {
    assert.deepEqual(
      [0, 1, 2, 3].map((index) => source().number('other', '', index)),
      [7, 9, 3, undefined],
    );
    assert.equal(source().number('count', '', 0), 4);
    assert.deepEqual([source().boolean('required', ''), source().boolean('found', '')], [false, true]);
    assert.equal(source().number('name', '', 0), 7);
    assert.deepEqual(source().list('anyError', ''), ['p']);
    assert.equal(source({ found: false }).boolean('x', ''), false);
    assert.deepEqual(
      ['values', 'possibleValue', 'errors', 'problem', 'others', 'related'].map((name) => source().list(name, '')),
      [['a', 'b'], ['a', 'b'], ['p'], ['p'], ['r'], ['r']],
    );
    assert.equal(source({ facts: {} }).list('values', ''), undefined);
  });
});

describe('what fills the arguments of a function', () => {
  const ask = (question: string) => argumentSource(question);
  const text = (question: string, name: string, description = ''): unknown =>
    ask(question).text(name, description, {} as never);

  for (const [name, question, expected] of [
    ['email', 'Write to ann@x.org, please', 'ann@x.org'],
    ['url', 'Open https://x.org/a?b=1.', 'https://x.org/a?b=1'],
    ['filePath', 'Read /jobs/etl.py now', '/jobs/etl.py'],
    ['notebook', 'Open report.ipynb, then', 'report.ipynb'],
    ['day', 'What about 2026-01-05?', '2026-01-05'],
    ['date', 'What about Tuesday?', 'Tuesday'],
    ['run_id', 'Why did run 42 fail?', '42'],
    ['city', 'The weather in New York today', 'New York'],
    ['query', 'What is it?', 'What is it?'],
    ['url', 'Open http://x.org/a?!', 'http://x.org/a'],
    ['date', 'Come on Friday', 'Friday'],
    ['date', 'Come on Fri', 'Fri'],
    ['date', 'Come tomorrow', 'tomorrow'],
    ['path', 'Nothing to read', 'Nothing to read'],
    ['url', 'Nothing to open', 'Nothing to open'],
    ['date', 'Nothing to wait for', 'Nothing to wait for'],
    ['run_id', 'Nothing to look at', 'Nothing to look at'],
    ['run_id', 'Look at order-1234 then', 'order-1234'],
    ['run_id', 'Look at order-xy then', 'Look at order-xy then'],
    ['query', 'Find Ann in Paris', 'Find Ann in Paris'],
    ['value', "it's Ann's 'own way' of it", 'own way'],
    ['value', 'Take "one" or `two`', 'one'],
    ['value', 'Say it to Ann', 'Ann'],
    ['value', 'nothing special', 'nothing special'],
  ] as const)
    it(`is ${JSON.stringify(expected)} for ${name}`, () => assert.equal(text(question, name), expected));

  it('is what its description asks for, whichever way that is written', () => {
    assert.equal(text('Write to ann@x.org, please', 'to', 'An E-Mail address'), 'ann@x.org');
    assert.equal(text('Say "one" or two', 'message'), 'one');
  });

  it('is one quoted text after the other, also for what asks for a text', () => {
    const source = ask(`From "one" to \`two\` and 'three'`);
    assert.deepEqual(
      ['a', 'text', 'b', 'c'].map((name) => source.text(name, '', {} as never)),
      ['one', 'two', 'three', `From "one" to \`two\` and 'three'`],
    );
    assert.deepEqual(source.list('x', ''), ['one', 'two', 'three']);
    assert.equal(ask('none').list('x', ''), undefined);
  });

  it('is the number beside its name, else the one of its place, else the first', () => {
    const source = ask('2 retries, a max retries of 5, version 1.2.3 and 7 days');
    assert.equal(source.number('maxRetries', '', 0), 5);
    assert.deepEqual(
      [0, 2, 9].map((index) => source.number('other', '', index)),
      [2, 7, 2],
    );
    assert.deepEqual(
      [0, 1, 2].map((index) => ask('12.75 and 1.25x, -3').number('other', '', index)),
      [12.75, 1.25, -3],
    );
    assert.equal(ask('a top of 4').number('top[k]*', '', 0), 4);
    assert.equal(ask('none').number('x', '', 0), undefined);
  });

  it('is no where it is said to be left out, and yes where it is named', () => {
    assert.equal(ask('without any alerts').boolean('alerts', ''), false);
    assert.equal(ask('with alerts').boolean('alerts', ''), true);
    assert.equal(ask('with it').boolean('alerts', ''), undefined);
    assert.equal(ask('with alerts').boolean('alertsOnFailure', ''), true);
    assert.equal(ask('without alerts').boolean('alerts(*', ''), false);
  });

  it('takes from the words of a question what was approved', () => {
    const question =
      'Send "the report" to a@b.example in New York on 2026-01-05 with size 3 and 4.5, without retries, see https://x.example/y, file /a/b.py, order-12';
    const source = argumentSource(question);
    const names = ['email', 'url', 'path', 'date', 'user_id', 'city', 'query', 'title', 'other', 'more'];
    const given = [
      ...names.map((name) => [name, source.text(name, '', {} as never)]),
      ['choice', source.text('choice', '', { choices: ['report', 'the report', 'x'] } as never)],
      ['size', source.number('size', '', 1)],
      ['count', source.number('count', '', 1)],
      ['far', source.number('far', '', 99)],
      ['retries', source.boolean('retries', '')],
      ['report', source.boolean('report', '')],
      ['nothing', source.boolean('nothing', '')],
      ['list', source.list('list', '')],
    ];
    assertApproved('guide-arguments', given.map((each) => `${JSON.stringify(each)}\n`).join(''));
  });
});
