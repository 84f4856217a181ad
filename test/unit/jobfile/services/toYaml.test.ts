import assert from 'node:assert/strict';
import { fieldAt } from '../../../../src/jobfile/model/fieldTree.ts';
import { parseJobFile } from '../../../../src/jobfile/services/parseJobFile.ts';
import { jsonToYaml, toYaml, valueToYaml } from '../../../../src/jobfile/services/toYaml.ts';

describe('settings as a job file', () => {
  const odd = [
    'yes',
    'No',
    '0123',
    '1e3',
    'null',
    '~',
    '',
    ' x ',
    '- a',
    'a: b',
    '# c',
    '12:30',
    'ä "q" \'s\'',
    `${'word '.repeat(60)}end`,
  ];
  const settings = {
    spark_python_task: { parameters: [...odd, 'two\nlines\n'], python_file: '/a.py' },
    unknown_field: { b: 1, a: [] },
    name: '0x1F',
    run_job_task: { job_id: '9007199254740993' },
    existing_cluster_id: 'c',
  };

  it('have the order of the document, unknown fields last, and no line is folded', () => {
    const text = toYaml(settings, { jobId: '9223372036854775807' });
    assert.deepEqual(
      [...text.matchAll(/^(\w+):/gm)].map(([, name]) => name),
      ['job_id', 'name', 'existing_cluster_id', 'spark_python_task', 'run_job_task', 'unknown_field'],
    );
    assert.match(text, /^job_id: 9223372036854775807\nname: ["']0x1F["']\n/);
    assert.match(text, / {2}job_id: 9007199254740993\n/);
    assert.match(text, /^ {4}- (?:word ){60}end$/m);
    for (const word of ['yes', 'No', '0123', '12:30']) assert.match(text, new RegExp(`- ["']${word}["']\\n`), word);
  });

  it('are read back as they were', () => {
    const { settings: read } = parseJobFile(toYaml({ ...settings, run_job_task: undefined }));
    const task = (read as typeof settings | undefined)?.spark_python_task;
    assert.deepEqual(task?.parameters, [...odd, 'two\nlines\n']);
  });

  it('follow the order of a file that is there', () => {
    const like = 'existing_cluster_id: x\nspark_python_task:\n  python_file: y\n  parameters: []\nname: z\n';
    assert.deepEqual([...toYaml(settings, { like }).matchAll(/^(\w+):/gm)].map(([, name]) => name).slice(0, 3), [
      'existing_cluster_id',
      'spark_python_task',
      'name',
    ]);
    assert.match(valueToYaml({ b: ['1'], a: 'no' }), /^b:\n {2}- "1"\na: "no"\n$/);
  });
});

describe('JSON of a job as a job file', () => {
  it('is its settings, wherever they stand in it, with the job that they are of', () => {
    for (const [json, yaml] of [
      ['{"name": "k", "max_retries": 1}', 'name: k\nmax_retries: 1\n'],
      [
        '{"job_id": 9007199254740993, "settings": {"name": "k"}, "created_time": 5}',
        'job_id: 9007199254740993\nname: k\n',
      ],
      ['{"job_id": 7, "new_settings": {"name": "k"}}', 'job_id: 7\nname: k\n'],
      ['{"job_id": "7", "name": "k"}', 'job_id: 7\nname: k\n'],
      ['{"job_id": "x7", "name": "k"}', 'name: k\n'],
      ['{"job_id": "12345678901234567890", "name": "k"}', 'name: k\n'],
      ['{"job_id": -7, "name": "k"}', 'name: k\n'],
      ['{"job_id": [7], "name": "k"}', 'name: k\n'],
      ['{"settings": 5, "name": "k"}', 'name: k\nsettings: 5\n'],
      ['{"settings": {"name": "k"}, "new_settings": {"name": "m"}}', 'name: k\n'],
      ['{"settings": null, "new_settings": {"name": "m"}}', 'name: m\n'],
      ['// a\n{"b": 1, "name": "k",}', 'name: k\nb: 1\n'],
      ['name: k\nb: 1\n', 'name: k\nb: 1\n'],
      ['{}', '{}\n'],
    ] as const)
      assert.equal(jsonToYaml(json), yaml, json);
  });

  it('is refused where it is none, and it is said why', () => {
    const remedy = 'Give it the settings of a job as JSON: { "name": … }.';
    const message = 'The text is not the JSON of a job, so no job file was made.';
    for (const json of ['', '[1]', '5', '"a"', 'null', '# a\n'])
      assert.throws(() => jsonToYaml(json), { kind: 'invalid', message, remedy }, json);
    assert.throws(() => jsonToYaml('{"name": "a" "b": 1}'), {
      kind: 'invalid',
      message:
        'The text is not the JSON of a job, so no job file was made: A comma is missing between two items. Add it.',
      remedy,
    });
  });
});

describe('any part of the settings as YAML', () => {
  it('has its fields in order, its numbers of 64 bits exactly, and nothing that is undefined', () => {
    const type = (...path: string[]) => fieldAt(path)?.type;
    assert.equal(
      toYaml({ b: undefined, run_job_task: { job_id: '7' }, name: 'k', libraries: [{ jar: 'j' }] }),
      'name: k\nrun_job_task:\n  job_id: 7\nlibraries:\n  - jar: j\n',
    );
    for (const [value, text] of [
      ['-7', '-7\n'],
      ['1234567890123456789', '1234567890123456789\n'],
      ['12345678901234567890', '"12345678901234567890"\n'],
      ['7a', '7a\n'],
      ['', '""\n'],
      [7, '7\n'],
    ] as const)
      assert.equal(valueToYaml(value, type('run_job_task', 'job_id')), text);
    assert.equal(valueToYaml('7', type('name')), '"7"\n');
    assert.equal(
      valueToYaml({ timezone_id: 'UTC', x: 1, quartz_cron_expression: 'c' }, type('schedule')),
      'quartz_cron_expression: c\ntimezone_id: UTC\nx: 1\n',
    );
    assert.equal(
      valueToYaml([{ pypi: { repo: 'r', package: 'p' } }, 5], type('libraries')),
      '- pypi:\n    package: p\n    repo: r\n- 5\n',
    );
  });

  it('follows the order of a file that holds a job, item by item', () => {
    const like =
      'job_id: 5\nsettings:\n  libraries:\n    - maven: {repo: r, coordinates: c}\n    - jar: a\n  name: x\n';
    assert.equal(
      toYaml(
        { name: 'k', libraries: [{ maven: { coordinates: 'c', repo: 'r' } }, { jar: 'b' }, { jar: 'c' }] },
        { like },
      ),
      'libraries:\n  - maven:\n      repo: r\n      coordinates: c\n  - jar: b\n  - jar: c\nname: k\n',
    );
    const shared = { a: '1' };
    assert.equal(toYaml({ c: shared, d: shared }), 'c:\n  a: "1"\nd:\n  a: "1"\n', 'no anchors');
  });
});
