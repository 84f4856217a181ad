import assert from 'node:assert/strict';
import { validateText } from '../../../../src/jobfile/services/validate.ts';

const job = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a.py"}\n';
const scheduled = (status: string): string =>
  `${job}schedule: {quartz_cron_expression: 0 0 8 * * ?, timezone_id: UTC, pause_status: ${status}}\n`;

describe('a value of the wrong kind', () => {
  /** Code, what is marked, the message and what can stand in its place. */
  const told = (text: string): unknown[] =>
    validateText(text, { nowMs: 0 })
      .filter(({ severity }) => severity === 'error')
      .map(({ code, start, end, message, data }) => [
        code,
        text.slice(start, end),
        message,
        ...(data?.replacements ?? []),
      ]);
  const replacements = (text: string): unknown[] => told(text).map((line) => (line as unknown[]).slice(3));

  it('is mended where truth is said in other words', () => {
    for (const [word, truth] of [
      ...['yes', 'Yes', 'on', 'ON', 'y', '"true"', '"True"'].map((text) => [text, 'true']),
      ...['no', 'NO', 'off', 'Off', 'n', '"false"'].map((text) => [text, 'false']),
    ])
      assert.deepEqual(replacements(`${job}retry_on_timeout: ${word}\n`), [[truth]], word);
    for (const word of ['maybe', '1', '0', '""'])
      assert.deepEqual(replacements(`${job}retry_on_timeout: ${word}\n`), [['true', 'false']], word);
    assert.deepEqual(told(`${job}retry_on_timeout: maybe\n`), [
      [
        'wrongType',
        'maybe',
        'retry_on_timeout must be true or false, and it is the text "maybe". Write true or false.',
        'true',
        'false',
      ],
    ]);
    assert.deepEqual(told(`${job}retry_on_timeout: true\n`), []);
  });

  it('is mended where a whole number is written as a text', () => {
    for (const [text, number] of [
      ['"3"', '3'],
      ['" 3 "', '3'],
      ['"+3"', '3'],
      ['"-1"', '-1'],
      ['"007"', '7'],
      ['"123456"', '123456'],
      ['"123456789012345"', '123456789012345'],
    ])
      assert.deepEqual(replacements(`${job}timeout_seconds: ${text}\n`), [[number]], text);
    for (const text of ['"1234567890123456"', '"3s"', '1.5', '"1.5"', 'true', '""'])
      assert.deepEqual(replacements(`${job}timeout_seconds: ${text}\n`), [[]], text);
    assert.deepEqual(told(`${job}timeout_seconds: "3"\n`), [
      ['wrongType', '"3"', 'timeout_seconds must be a whole number, and it is the text "3". Write 3.', '3'],
    ]);
    assert.deepEqual(told(`${job}timeout_seconds: soon\n`), [
      ['wrongType', 'soon', 'timeout_seconds must be a whole number, and it is the text "soon". Write a whole number.'],
    ]);
  });

  it('is mended where it is a text without quotes', () => {
    for (const [text, quoted] of [
      ['7.10', '"7.10"'],
      ['0x1F', '"0x1F"'],
      ['true', '"true"'],
      ['1e3', '"1e3"'],
    ])
      assert.deepEqual(replacements(`${job}name: ${text}\n`), [[quoted]], text);
    assert.deepEqual(told(`${job}name: 7.10\n`), [
      ['wrongType', '7.10', 'name must be text, and it is the number 7.10. Put it in quotes: "7.10".', '"7.10"'],
    ]);
  });

  it('is one of a choice, or like one', () => {
    const values = ['PAUSED', 'UNPAUSED'];
    assert.deepEqual(told(scheduled('PAUSED')), []);
    assert.deepEqual(told(scheduled('PAUSE')), [
      [
        'notAllowed',
        'PAUSE',
        'pause_status must be PAUSED or UNPAUSED, and it is the text "PAUSE". Did you mean PAUSED?',
        'PAUSED',
      ],
    ]);
    for (const value of ['zzz', '5', 'true']) assert.deepEqual(replacements(scheduled(value)), [values], value);
    assert.match(String((told(scheduled('zzz'))[0] as unknown[])[2]), / Write one of them\.$/);
  });

  it('is an exact number, or the text of one', () => {
    const run = (id: string): string => `run_job_task: {job_id: ${id}}\n`;
    for (const id of ['5', '9223372036854775807', '"5"', '"9223372036854775807"'])
      assert.deepEqual(told(run(id)), [], id);
    for (const [id, code] of [
      ['1.5', 'wrongType'],
      ['five', 'wrongType'],
      ['"5 "', 'wrongType'],
      ['"12345678901234567890"', 'wrongType'],
      ['12345678901234567890', 'limit'],
      ['"9223372036854775808"', 'limit'],
    ] as const)
      assert.deepEqual(
        told(run(id)).map((line) => (line as unknown[])[0]),
        [code],
        id,
      );
  });

  it('is held to its limits, both of which belong to it', () => {
    const runs = (value: string): unknown[] => told(`${job}max_concurrent_runs: ${value}\n`);
    assert.deepEqual([runs('1'), runs('1000')], [[], []]);
    assert.deepEqual(runs('1001'), [
      ['limit', '1001', 'max_concurrent_runs is 1001; it must not exceed 1000. Change it.', '1000'],
    ]);
    assert.deepEqual(
      runs('-1').map((line) => (line as unknown[]).slice(3)),
      [['0']],
    );
    const seconds = (value: string): unknown[] => told(`${job}timeout_seconds: ${value}\n`);
    assert.deepEqual([seconds('0'), seconds('2147483647')], [[], []]);
    assert.deepEqual(seconds('2147483648'), [
      ['limit', '2147483648', 'timeout_seconds is 2147483648; it must be at most 2147483647. Lower it.', '2147483647'],
    ]);
    assert.deepEqual(
      seconds('99999999999999999999').map((line) => (line as unknown[]).slice(3)),
      [['2147483647']],
    );
    assert.deepEqual(seconds('-1'), [['limit', '-1', 'timeout_seconds is -1; it must be at least 0. Raise it.', '0']]);
    assert.deepEqual(
      told(`${job}max_retries: -2\n`).map((line) => (line as unknown[]).slice(3)),
      [['-1']],
    );
  });

  it('is held to what its schema says', () => {
    assert.deepEqual(
      told('existing_cluster_id: ""\nspark_python_task: {python_file: "dfs:/a"}\n').map((line) =>
        (line as unknown[]).slice(0, 3),
      ),
      [['value', '""', 'existing_cluster_id is empty. Write a text.']],
    );
    const [path] = told('existing_cluster_id: c\nnotebook_task: {notebook_path: a}\n') as unknown[][];
    assert.deepEqual([path?.[0], path?.slice(3)], ['value', ['/a']]);
    const [mail] = told(`${job}email_notifications: {on_start: [ä@b.c]}\n`) as unknown[][];
    assert.deepEqual([mail?.[0], mail?.[1], mail?.slice(3)], ['asciiOnly', 'ä@b.c', []]);
  });

  it('is no mapping or list where one value is meant', () => {
    for (const [value, words] of [
      ['[a]', 'a list'],
      ['{a: b}', 'a mapping'],
      ['\n  - a\n  - b', 'a list'],
      ['\n  a: b\n  c: d', 'a mapping'],
      ['[]', 'a list'],
    ] as const) {
      const [found] = told(`${job}name: ${value}\n`) as unknown[][];
      const message = `name must be text, and it is ${words}. Write a single value.`;
      assert.deepEqual([found?.[0], found?.[2]], ['wrongType', message], value);
    }
  });
});
