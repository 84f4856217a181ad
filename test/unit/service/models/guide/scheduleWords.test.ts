import assert from 'node:assert/strict';
import { readSchedule, zoneIn } from '../../../../../src/service/models/guide/scheduleWords.ts';
import { findQuartzProblem } from '../../../../../src/shared/quartz/quartz.ts';
import { assertApproved } from '../../../../support/approved.ts';
import { holdPhrases } from './phrases.ts';

const times = [
  'every working day at 2:30',
  'every 15 minutes',
  'every 7 minutes',
  'every 2 hours',
  'every 5 hours',
  'every 1 min',
  'every 1 hour',
  'every 60 minutes',
  'every 24 hours',
  'every 0 minutes',
  'every minute',
  'hourly',
  'every hour at 5',
  'weekly on Monday at 9 pm',
  'Tuesdays and thursdays at 6.45 am',
  'on Mon, Wed and Fri',
  'monday to friday at noon',
  'mon-fri 8:05 pm',
  'on Saturdays at midnight',
  'every Sunday morning',
  'monthly at 12 am',
  'first of each month at 12 pm',
  'weekly',
  'every week at 23:59',
  'nightly',
  'every night at 1:00',
  'daily',
  'each day at 4 p.m.',
  'every morning at 7 a.m.',
  'at 25',
  'at 9:75 daily',
  'at 18:30',
  'every other Tuesday',
  'every second Monday',
  'every 3 days',
  'twice a day',
  'bi-weekly',
  'biweekly',
  'quarterly',
  'on the last day of the month',
  'on the last working day',
  'except on Sundays',
  'now and then',
  '',
];

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
    ['every working day at 2:30', '0 30 2 ? * MON-FRI', 'on working days at 02:30'],
    ['monday through friday', '0 0 6 ? * MON-FRI', 'on working days at 06:00'],
    ['weekly on Monday at 9 pm', '0 0 21 ? * MON', 'every Monday at 21:00'],
    ['on wednesdays and saturday at 7', '0 0 7 ? * WED,SAT', 'every Wednesday and Saturday at 07:00'],
    ['weekly', '0 0 6 ? * MON', 'every Monday at 06:00'],
    ['monthly at 5', '0 0 5 1 * ?', 'on the first of each month at 05:00'],
    ['the last friday of each month at 5pm', '0 0 17 ? * FRIL', 'on the last Friday of each month at 17:00'],
    ['the first monday of every month at 9:30', '0 30 9 ? * MON#1', 'on the first Monday of each month at 09:30'],
    ['every 2nd tuesday of the month at 4', '0 0 4 ? * TUE#2', 'on the 2nd Tuesday of each month at 04:00'],
    ['the 3rd wednesday of the month', '0 0 6 ? * WED#3', 'on the 3rd Wednesday of each month at 06:00'],
    ['the fourth sunday each month', '0 0 6 ? * SUN#4', 'on the fourth Sunday of each month at 06:00'],
    ['on the last day of the month at 23:30', '0 30 23 L * ?', 'on the last day of each month at 23:30'],
    ['the last working day of each month', '0 0 6 LW * ?', 'on the last working day of each month at 06:00'],
    ['the last weekday of the month', '0 0 6 LW * ?', 'on the last working day of each month at 06:00'],
    ['on the 15th at 8', '0 0 8 15 * ?', 'on day 15 of each month at 08:00'],
    ['on the 1st and the 15th at noon', '0 0 12 1,15 * ?', 'on day 1 and 15 of each month at 12:00'],
    ['every 15 minutes on weekdays', '0 0/15 * ? * MON-FRI', 'every 15 minutes on working days'],
    ['every minute on sunday', '0 * * ? * SUN', 'every minute every Sunday'],
    ['every 2 hours on saturday', '0 0 0/2 ? * SAT', 'every 2 hours every Saturday'],
    ['every hour between 9 and 17', '0 0 9-17 * * ?', 'at the start of every hour from 9:00 to 17:00'],
    ['every 30 minutes from 8am to 6pm', '0 0/30 8-18 * * ?', 'every 30 minutes from 8:00 to 18:59'],
    ['every 60 minutes from 8 until 10', '0 0 8-10 * * ?', 'at the start of every hour from 8:00 to 10:59'],
    ['every 2 hours between 12am and 6 am', '0 0 0-6/2 * * ?', 'every 2 hours from 0:00 to 6:00'],
    ['every 24 hours on monday', '0 0 0 ? * MON', 'every Monday at 00:00'],
    ['every day at 6 and 18', '0 0 6,18 * * ?', 'every day at 06:00 and 18:00'],
    ['at 6, 12 and 18 every day', '0 0 6,12,18 * * ?', 'every day at 06:00 and 12:00 and 18:00'],
    ['at 9:15 and at 5:15 pm', '0 15 9,17 * * ?', 'every day at 09:15 and 17:15'],
    ['daily at 6 and 2 retries', '0 0 6 * * ?', 'every day at 06:00'],
    ['every evening at 8', '0 0 20 * * ?', 'every day at 20:00'],
    ['each afternoon, every day at 12', '0 0 12 * * ?', 'every day at 12:00'],
    ['every night at 11', '0 0 23 * * ?', 'every day at 23:00'],
    ['every night at 3', '0 0 3 * * ?', 'every day at 03:00'],
    ['on weekends at 10', '0 0 10 ? * SAT,SUN', 'on Saturday and Sunday at 10:00'],
    ['mon-thu at 7', '0 0 7 ? * MON-THU', 'from Monday to Thursday at 07:00'],
    ['from tuesday to saturday at 7', '0 0 7 ? * TUE-SAT', 'from Tuesday to Saturday at 07:00'],
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
    'every day unless it is a holiday',
    'daily at 24',
    'daily at 25',
    'daily at 7:60',
    'daily at 6:30 and 18:00',
    'on the 32nd at 8',
    'on the 0th at 8',
    'every 10 minutes during business hours',
    'every hour between 17 and 9',
    'every hour between 9:30 and 17',
    'every 15 minutes until 18',
  ])
    it(`${text} is none`, () => assert.equal(readSchedule(text), undefined));

  it('is that of the zone, or of the city, that is named', () =>
    assert.deepEqual(
      [
        'daily at 5 in New York',
        'at 7 Berlin time',
        'at 6 UTC',
        'at 6, Asia/Tokyo',
        'in America/Argentina/Buenos_Aires',
        'the berlin report, daily',
        'daily in newyork',
      ].map(zoneIn),
      [
        'America/New_York',
        'Europe/Berlin',
        'UTC',
        'Asia/Tokyo',
        'America/Argentina/Buenos_Aires',
        undefined,
        undefined,
      ],
    ));

  it('is the schedule that was approved, or none', () => {
    const all = times.map((text) => {
      const found = readSchedule(text);
      return `${text} → ${found ? `${found.expression} (${found.words})` : 'none'}`;
    });
    for (const text of times)
      assert.equal(findQuartzProblem(readSchedule(text)?.expression ?? '0 0 0 * * ?'), undefined, text);
    assertApproved('guide-times', `${all.join('\n')}\n`);
  });

  holdPhrases('schedules', (phrase) => {
    const told = (text: string): string => {
      const found = readSchedule(text);
      return found ? `${found.expression} (${found.words})` : 'none';
    };
    return `${told(phrase)}, ${told(`${phrase} every day at 6`)}, ${told(`every Monday at 9 ${phrase}`)}, ${zoneIn(phrase)}`;
  });
});
