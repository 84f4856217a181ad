import assert from 'node:assert/strict';
import { jobFileArea } from '../../../../../src/service/models/guide/fieldDocs.ts';
import { getKnowledge, getVocabulary } from '../../../../../src/service/models/guide/knowledge.ts';
import { termsOf } from '../../../../../src/service/models/guide/terms.ts';
import { assertApproved } from '../../../../support/approved.ts';

const questions = [
  'What is max_retries?',
  'timeout of a task',
  'notebook parameters',
  'who gets an e-mail',
  'cluster',
  'how often',
  'embedding dimension',
  'stop sequences',
  'zebra',
  '',
];

describe('what the guide knows', () => {
  const knowledge = getKnowledge();
  const named = (text: string): string[] => knowledge.fieldsNamedIn(text).map(({ path }) => path);

  for (const [text, paths] of [
    ['What is max_retries.', ['max_retries']],
    ['timeout_seconds and max_retries and timeout_seconds', ['timeout_seconds', 'max_retries']],
    ['new_cluster.spark_conf?', ['new_cluster.spark_conf']],
    ['schedule.timezone_id...', ['schedule.timezone_id']],
    ['libraries[].whl', ['libraries[].whl']],
    // By its name alone, the one that is nearest to the top.
    ['quartz_cron_expression', ['schedule.quartz_cron_expression']],
    ['`type`', ['tools[].type']],
    ['`function`', ['tools[].function']],
    ['max_retries... and `name`!', ['max_retries', 'name']],
    ['`package` of a library', ['libraries[].pypi.package']],
    // A job file's before those of requests.
    ['`parameters`', ['spark_jar_task.parameters']],
    // An ordinary word is a name only where it is marked as code.
    ['the name of a job', []],
    ['the `name` of a job', ['name']],
    ['name=x', ['name']],
    ['what the field name is', ['name']],
    ['the name parameter', ['name']],
    ['name field', []],
    ['the schedule', []],
    ['no_such_field', []],
    ['', []],
  ] as const)
    it(`finds ${paths.join(', ') || 'no field'} in "${text}"`, () => assert.deepEqual(named(text), paths));

  it('takes the field of a job file for a name that several have', () => {
    for (const path of ['name', 'schedule']) {
      assert.ok(knowledge.fields.filter((field) => field.path === path).length > 1);
      assert.equal(knowledge.fieldAt(path)?.area, jobFileArea, path);
    }
    assert.equal(knowledge.fieldAt('none'), undefined);
  });

  for (const [text, title] of [
    ['how do I open the run page', 'Open Run'],
    ['deploy this job file', 'Deploy Job File'],
    ['pull job into file', 'Pull Job into File'],
    ['cancel all runs', 'Cancel All Runs'],
    ['new chat', 'New Chat'],
    ['open run in browser', 'Open Run in Browser'],
    ['filter jobs by text', 'Filter Jobs by Text…'],
    ['filter jobs', 'Filter Jobs…'],
    // Half of its words.
    ['attach failing', 'Attach Failing Line to Chat'],
    // One word of it, another first word, or much more than the command does.
    ['cancel', undefined],
    ['runs all', undefined],
    ['run', undefined],
    ['runs zebra lion', undefined],
    ['open jobs view zebra', 'Open Job'],
    ['open jobs view zebra lion', undefined],
    ['new chat about the weather in the mountains of Spain', undefined],
    ['', undefined],
  ] as const)
    it(`knows ${title ?? 'no command'} for "${text}"`, () => assert.equal(knowledge.commandFor(text), title));

  it('is read once', () => {
    assert.equal(getKnowledge(), knowledge);
    assert.equal(getVocabulary(), getVocabulary());
    for (const word of ['schedule', 'yesterday', 'fails', 'widgets', 'dbutils', 'recurring', 'ollama', 'between'])
      assert.ok(getVocabulary().has(word), word);
    for (const word of ['of', 'zebra', 'Schedule', 'r', ' ']) assert.ok(!getVocabulary().has(word), word);
  });

  it('finds the fields and topics that were approved for a question', () => {
    const { index } = getKnowledge();
    const all = questions.map((question) => {
      const hits = index.search(new Map(termsOf(question).map((term) => [term, 1])), 5);
      const lines = hits.map(
        ({ value, score, coverage }) =>
          `  ${'path' in value ? value.path : value.title}: ${score.toFixed(3)}, ${coverage.toFixed(3)}`,
      );
      return [question, ...lines].join('\n');
    });
    assertApproved('guide-search', `${all.join('\n')}\n`);
  });
});
