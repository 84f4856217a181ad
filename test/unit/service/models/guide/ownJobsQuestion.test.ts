import assert from 'node:assert/strict';
import { askedOf } from '../../../../../src/service/models/guide/ownJobsQuestion.ts';
import { holdPhrases } from './phrases.ts';

describe('a question about somebody’s own jobs', () => {
  const runs = (state: string, since: string, more: object = {}) => ({
    kind: 'runs',
    state,
    since,
    isSure: true,
    ...more,
  });
  const one = (isWhy: boolean, more: object) => ({ kind: 'run', isWhy, isPointing: false, isSure: true, ...more });

  for (const [text, expected] of [
    ['Which runs failed today?', runs('failed', 'today')],
    ['what failed this morning', runs('failed', 'today')],
    ['Did anything fail yesterday?', runs('failed', 'yesterday')],
    ['Did anything fail last night?', runs('failed', 'week')],
    ['what failed tonight', runs('failed', 'week')],
    ['which jobs crashed this week', runs('failed', 'week')],
    ['list failed runs', runs('failed', 'any')],
    ['which runs of hello failed', runs('failed', 'any', { job: 'hello' })],
    ['which runs failed for hello', runs('failed', 'any', { job: 'hello' })],
    ['what is running now', runs('active', 'any')],
    ['which runs are active', runs('active', 'any', { isSure: false })],
    ['list the runs that succeeded today', runs('succeeded', 'today')],
    ['show runs that went well', runs('succeeded', 'any', { isSure: false })],
    ['show my last runs', runs('any', 'any')],
    ['what has run yesterday', runs('any', 'yesterday')],
    ['when did hello last run', runs('any', 'any', { job: 'hello' })],
    ['did the job etl-nightly succeed today?', runs('any', 'today', { job: 'etl-nightly' })],
    ['which jobs are there', { kind: 'jobs', isScheduled: false, isSure: true }],
    ['list all scheduled jobs', { kind: 'jobs', isScheduled: true, isSure: true }],
    ["what's the schedule of hello", { kind: 'jobs', isScheduled: true, isSure: true }],
    ['show me the schedules for "etl"', { kind: 'jobs', isScheduled: true, isSure: true }],
    ['when is the job hello scheduled', { kind: 'jobs', isScheduled: true, isSure: true }],
    ['when does hello run next', { kind: 'jobs', isScheduled: true, isSure: true }],
    ['What does hello do?', { kind: 'job', job: 'hello', isSure: false }],
    ['what does the job hello do', { kind: 'job', job: 'hello', isSure: true }],
    ['show the job hello', { kind: 'job', job: 'hello', isSure: true }],
    ['show me the settings of hello', { kind: 'job', job: 'hello', isSure: false }],
    ['Run hello', { kind: 'start', job: 'hello', isSure: true }],
    ['please start the job etl nightly now', { kind: 'start', job: 'etl nightly', isSure: true }],
    ['could you please run etl nightly', { kind: 'start', job: 'etl nightly', isSure: false }],
    ['why did it fail', one(true, { isPointing: true })],
    ['why did hello fail yesterday at 9:30 pm', one(true, { job: 'hello' })],
    ['why did hello fail again this morning at 9', one(true, { job: 'hello' })],
    ['Why did run 42 fail?', one(true, { runId: '42' })],
    ['why did the last run fail today', one(true, {})],
    ['why did the job hello fail', one(true, { job: 'hello' })],
    ['what went wrong with it', one(true, { isPointing: true })],
    ['what did hello print', one(false, { job: 'hello' })],
    ['show the output of run #7', one(false, { runId: '7' })],
    ['Which parameters did run 7 have?', one(false, { runId: '7', isParameters: true })],
    ['with which parameters did hello run', one(false, { job: 'hello', isParameters: true })],
    ['what parameters did the last run of etl use', one(false, { job: 'etl', isParameters: true })],
    ['show me the parameters of the last run', one(false, { isParameters: true })],
    ['what parameters were used for it', one(false, { isPointing: true, isParameters: true })],
  ] as const)
    it(`is read: ${text}`, () => assert.deepEqual(JSON.parse(JSON.stringify(askedOf(text))), expected));

  for (const text of [
    '',
    ' ?! ',
    'How do I run a job?',
    'can i run a job twice',
    'what is a failed run',
    'what happens when a run failed today',
    'run it',
    'run a job every day',
    'run hello at 9',
    'start hello and stop',
    'why did you fail',
    'what does a job do',
    'how many jobs can I have',
    'which fields of the jobs are there',
    'show the weather',
    'which parameters can I give a run',
    'the parameters of run now',
    'what are the parameters of spark_python_task',
    'what is the schedule of a job',
    'the schedule of every job',
    'when does a job run',
    'show the settings of my job',
    'describe it',
    'are there limits for all my runs',
    `which runs failed today ${'x'.repeat(180)}`,
  ])
    it(`is none: ${text.slice(0, 50)}`, () => assert.equal(askedOf(text), undefined));

  holdPhrases('ownJobs', (phrase) => JSON.stringify(askedOf(phrase)));
});
