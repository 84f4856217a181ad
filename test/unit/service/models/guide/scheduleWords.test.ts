import assert from 'node:assert/strict';
import { readSchedule } from '../../../../../src/service/models/guide/scheduleWords.ts';
import './approvedParts.part.ts';

describe('a time that is said in words', () => {
  for (const [text, expression, words] of [
    ['every minute', '0 * * * * ?', 'every minute'],
    ['every 1 minute', '0 * * * * ?', 'every minute'],
    ['Every 15 minutes', '0 0/15 * * * ?', 'every 15 minutes'],
    ['every 60 min', '0 0 * * * ?', 'at the start of every hour'],
    ['hourly', '0 0 * * * ?', 'at the start of every hour'],
    ['every 1 hour', '0 0 * * * ?', 'at the start of every hour'],
    ['every 6 hours', '0 0 0/6 * * ?', 'every 6 hours'],
    ['every 24 hours', '0 0 0 * * ?', 'every day at 00:00'],
    ['daily', '0 0 6 * * ?', 'every day at 06:00'],
    ['every  15  minutes', '0 0/15 * * * ?', 'every 15 minutes'],
    ['at  7:30', '0 30 7 * * ?', 'every day at 07:30'],
    ['daily at 24', '0 0 6 * * ?', 'every day at 06:00'],
    ['each weekday', '0 0 6 ? * MON-FRI', 'on working days at 06:00'],
    ['on each work day', '0 0 6 ? * MON-FRI', 'on working days at 06:00'],
    ['on each business day', '0 0 6 ? * MON-FRI', 'on working days at 06:00'],
    ['on tuesday', '0 0 6 ? * TUE', 'every Tuesday at 06:00'],
    ['on wednesday', '0 0 6 ? * WED', 'every Wednesday at 06:00'],
    ['on thursday', '0 0 6 ? * THU', 'every Thursday at 06:00'],
    ['on friday', '0 0 6 ? * FRI', 'every Friday at 06:00'],
    ['on sundays', '0 0 6 ? * SUN', 'every Sunday at 06:00'],
    ['on saturday', '0 0 6 ? * SAT', 'every Saturday at 06:00'],
    ['nightly', '0 0 2 * * ?', 'every day at 02:00'],
    ['at midnight', '0 0 0 * * ?', 'every day at 00:00'],
    ['at noon', '0 0 12 * * ?', 'every day at 12:00'],
    ['at 12 am', '0 0 0 * * ?', 'every day at 00:00'],
    ['at 12 pm', '0 0 12 * * ?', 'every day at 12:00'],
    ['at 9.05 p.m.', '0 5 21 * * ?', 'every day at 21:05'],
    ['daily, 23:59', '0 59 23 * * ?', 'every day at 23:59'],
    ['daily at 25', '0 0 6 * * ?', 'every day at 06:00'],
    ['daily at 7:60', '0 0 6 * * ?', 'every day at 06:00'],
    ['every working day at 2:30', '0 30 2 ? * MON-FRI', 'on working days at 02:30'],
    ['monday through friday', '0 0 6 ? * MON-FRI', 'on working days at 06:00'],
    ['weekly on Monday at 9 pm', '0 0 21 ? * MON', 'every Monday at 21:00'],
    ['on wednesdays and saturday at 7', '0 0 7 ? * WED,SAT', 'every Wednesday and Saturday at 07:00'],
    ['weekly', '0 0 6 ? * MON', 'every Monday at 06:00'],
    ['monthly at 5', '0 0 5 1 * ?', 'on the first of each month at 05:00'],
  ] as const)
    it(`${text} is ${expression}`, () => assert.deepEqual(readSchedule(text), { expression, words }));

  for (const text of [
    'sometimes',
    'every 7 minutes',
    'every 0 minutes',
    'every 5 hours',
    'every other tuesday',
    'every 2 days',
    'twice a day at 5',
    'biweekly',
    'quarterly',
    'the last working day',
    'daily except sundays',
  ])
    it(`${text} is none`, () => assert.equal(readSchedule(text), undefined));
});
