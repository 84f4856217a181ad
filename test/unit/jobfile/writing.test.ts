import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { fieldAt } from '../../../src/jobfile/model/fieldTree.ts';
import { planDeploy } from '../../../src/jobfile/services/deployPlan.ts';
import { pasteJson } from '../../../src/jobfile/services/jobFileService.ts';
import { parseJobFile } from '../../../src/jobfile/services/parseJobFile.ts';
import { jsonToYaml, toYaml, valueToYaml } from '../../../src/jobfile/services/toYaml.ts';
import { withSettings } from '../../../src/jobfile/services/withSettings.ts';
import { root } from '../../support/paths.ts';

/** Each text, the settings that it gets, and what becomes of it. */
const cases: Readonly<Record<string, readonly (readonly [text: string, settings: object, wanted: string])[]>> = {
  'leaves the layout of lists and braces as it is': [
    [
      'name: a\nlibraries:\n- jar: a # c\nschedule: { timezone_id: UTC }\n',
      { name: 'b', libraries: [{ jar: 'a' }], schedule: { timezone_id: 'UTC' } },
      'name: b\nlibraries:\n- jar: a # c\nschedule: { timezone_id: UTC }\n',
    ],
    [
      'name: a\nlibraries:\n  - jar: a # c\nschedule: {timezone_id: UTC}\n',
      { name: 'b', libraries: [{ jar: 'a' }], schedule: { timezone_id: 'UTC' } },
      'name: b\nlibraries:\n  - jar: a # c\nschedule: {timezone_id: UTC}\n',
    ],
  ],
  'changes the settings of a job as it was read': [
    ['job_id: 5\nsettings:\n  name: a # c\n', { name: 'b' }, 'job_id: 5\nsettings:\n  name: b # c\n'],
  ],
  'keeps what is no setting at the top, and nowhere else': [
    ['job_id: 5 # j\nx-a: [1] # x\nname: a\n', { name: 'b' }, 'job_id: 5 # j\nx-a: [1] # x\nname: b\n'],
    [
      'new_cluster:\n  spark_conf: {x-a: "1", job_id: "3", b: "2"} # c\n',
      { new_cluster: { spark_conf: { b: '2' } } },
      'new_cluster:\n  spark_conf: {b: "2"} # c\n',
    ],
  ],
  'keeps what says nothing, and removes what says something else': [
    [
      'name: a\nmax_retries: 0\ntimeout_seconds: 0\ntags: {}\nmin_retry_interval_millis: 5\n',
      { name: 'b' },
      'name: b\nmax_retries: 0\ntimeout_seconds: 0\ntags: {}\n',
    ],
  ],
  'changes the items of a list one by one, and a list of another length as a whole': [
    [
      'spark_python_task:\n  python_file: /a.py # p\n  parameters:\n    - a # one\n    - b # two\n',
      { spark_python_task: { python_file: '/a.py', parameters: ['a', 'c'] } },
      'spark_python_task:\n  python_file: /a.py # p\n  parameters:\n    - a # one\n    - c # two\n',
    ],
    [
      'libraries:\n  - jar: a\n  - jar: b\nname: a # n\n',
      { libraries: [{ jar: 'c' }], name: 'a' },
      'libraries:\n  - jar: c\nname: a # n\n',
    ],
  ],
  'keeps comments and blank lines around a value of another kind': [
    [
      '# above\nname: {a: 1} # c\n\n# before\nmax_retries: 1 # d\n',
      { name: 'b', max_retries: 2 },
      '# above\nname: b # c\n\n# before\nmax_retries: 2 # d\n',
    ],
  ],
  'keeps an anchor that others mean, and takes the place of an alias': [
    ['name: &m old # c\nx-copy: *m\n', { name: 'b' }, 'name: &m b # c\nx-copy: *m\n'],
    ['x-n: &n a\nname: *n\n', { name: 'b' }, 'x-n: &n a\nname: b\n'],
  ],
  'keeps what is merged in as long as all of it is wanted, and what stands there itself': [
    [
      'x-a: &a {max_retries: 1}\n<<: *a # m\nname: a\n',
      { name: 'b', max_retries: 1 },
      'x-a: &a {max_retries: 1}\n<<: *a # m\nname: b\n',
    ],
    [
      'x-a: &a {max_retries: 1}\n<<: *a # m\nname: a\nmax_retries: 4\n',
      { name: 'a', max_retries: 5 },
      'x-a: &a {max_retries: 1}\n<<: *a # m\nname: a\nmax_retries: 5\n',
    ],
    [
      'x-a: &a {max_retries: 1, timeout_seconds: 5}\nx-b: &b {max_retries: 2}\n<<: [*b, *a]\nname: a\n',
      { name: 'b', max_retries: 2, timeout_seconds: 5 },
      'x-a: &a {max_retries: 1, timeout_seconds: 5}\nx-b: &b {max_retries: 2}\n<<: [*b, *a]\nname: b\n',
    ],
    [
      'x-c: &c {spark_version: v}\nnew_cluster:\n  <<: *c # m\n  num_workers: 1 # w\n',
      { new_cluster: { spark_version: 'v', num_workers: 2 } },
      'x-c: &c {spark_version: v}\nnew_cluster:\n  <<: *c # m\n  num_workers: 2 # w\n',
    ],
  ],
  'says what was merged in where some of it is another': [
    [
      'x-a: &a {max_retries: 1}\n<<: *a\nname: a # n\n',
      { name: 'b', max_retries: 2 },
      'x-a: &a {max_retries: 1}\nname: b # n\nmax_retries: 2\n',
    ],
    ['x-a: &a {max_retries: 1}\n<<: *a\nname: a # n\n', { name: 'b' }, 'x-a: &a {max_retries: 1}\nname: b # n\n'],
    [
      'x-c: &c {spark_version: v, policy_id: n}\nnew_cluster:\n  <<: *c\n  num_workers: 1 # w\n',
      { new_cluster: { spark_version: 'w', policy_id: 'n', num_workers: 1 } },
      'x-c: &c {spark_version: v, policy_id: n}\nnew_cluster:\n  num_workers: 1 # w\n  spark_version: w\n  policy_id: "n"\n',
    ],
  ],
  'writes anew, in the order of before, what cannot be changed so': [
    [
      'schedule: 5\nname: a\n# c\nmax_retries: [\n',
      { name: 'x', schedule: { timezone_id: 'UTC' } },
      'schedule:\n  timezone_id: UTC\nname: x\n',
    ],
    ['name: x\nname: y # c\n', { name: 'z' }, 'name: z\n'],
    ['', { name: 'x' }, 'name: x\n'],
    ['new_cluster: {<<: c, num_workers: 1}\nname: a # n\n', { name: 'b' }, 'name: b\n'],
    [`x-a: &a [1]\nname: a\ntags: [${'*a, '.repeat(200)}]\n`, { name: 'b' }, 'name: b\n'],
  ],
  'writes anew with the comment at its top and the number of its job': [
    ['# head\n\n\t# more\n  \nname: [ # a\n# later\n', { name: 'x' }, '# head\n\n\t# more\n  \nname: x\n'],
    ["job_id:\t'1234567890123456789'\nname: [\n", { name: 'x' }, 'job_id: 1234567890123456789\nname: x\n'],
    ['name: [\njob_id:"12"\n', { name: 'x' }, 'job_id: 12\nname: x\n'],
  ],
};

describe('Changing settings in a file', () => {
  for (const [what, examples] of Object.entries(cases))
    it(what, () => {
      for (const [text, settings, wanted] of examples)
        assert.equal(withSettings(text, settings as never), wanted, text);
    });
});

describe('withSettings', () => {
  it('leaves a text with the same meaning unchanged', () => {
    for (const folder of ['test/fixtures/jobfiles', 'media/sample']) {
      for (const name of fs.readdirSync(path.join(root, folder)).filter((one) => one.endsWith('.job.yml'))) {
        const file = fs.readFileSync(path.join(root, folder, name), 'utf8');
        const { settings } = parseJobFile(file);
        assert.ok(settings);
        const pulled = withSettings(file, { max_concurrent_runs: 1, ...settings, timeout_seconds: 77 });
        const again = parseJobFile(pulled).settings;
        assert.equal(again?.timeout_seconds, 77, name);
        assert.deepEqual(planDeploy({ ...settings, timeout_seconds: 77 }, again).changes, [], name);
        for (const comment of file.match(/# .*/g) ?? []) assert.ok(pulled.includes(comment), `${name}: ${comment}`);
      }
    }
  });

  it('does not change other uses of an anchor', () => {
    const shared = 'name: x\nnew_cluster: {spark_conf: &c {a: "1"}, spark_env_vars: *c, spark_version: v}\n';
    const wanted = {
      name: 'x',
      new_cluster: { spark_conf: { a: '2' }, spark_env_vars: { a: '1' }, spark_version: 'v' },
    };
    assert.deepEqual(parse(withSettings(shared, wanted)), wanted);
  });
});

describe('toYaml', () => {
  const odd = [
    ...['yes', 'No', '0123', '1e3', 'null', '~', '', ' x ', '- a', 'a: b', '# c', '12:30', 'ä "q" \'s\''],
    ...[`${'word '.repeat(60)}end`],
  ];
  const settings = {
    spark_python_task: { parameters: [...odd, 'two\nlines\n'], python_file: '/a.py' },
    unknown_field: { b: 1, a: [] },
    name: '0x1F',
    run_job_task: { job_id: '9007199254740993' },
    existing_cluster_id: 'c',
  };

  it('writes fields in order and folds no line', () => {
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
});

describe('jsonToYaml', () => {
  it('finds the settings and the job id in any format of the API', () => {
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
});

describe('valueToYaml', () => {
  it('writes fields in order and INT64 values exactly', () => {
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
});

/** What is inserted at ‸. */
const pasted = (clipboard: string, marked: string): string | undefined =>
  pasteJson(clipboard, marked.replace('‸', ''), marked.indexOf('‸'));

describe('pasteJson', () => {
  it('inserts a job or a value into an empty file', () => {
    for (const [json, yaml] of [
      [' {"max_retries": 1, "name": "a"}\n', 'name: a\nmax_retries: 1\n'],
      ['{"job_id": 9007199254740993, "settings": {"name": "a"}}', 'job_id: 9007199254740993\nname: a\n'],
      ['{"new_settings": {"name": "a"}}', 'name: a\n'],
      ['{"settings": {"name": "a"}, "x": 1}', 'name: a\n'],
      ['{"b": 1, "a": 9007199254740993}', 'b: 1\na: 9007199254740993\n'],
      ['[{"jar": "a"}]', '- jar: a\n'],
      ['{}', '{}\n'],
    ] as const)
      for (const empty of ['‸', ' \n‸\n']) assert.equal(pasted(json, empty), yaml, json);
  });

  it('uses the indentation and field order of the place', () => {
    const schedule = '{"timezone_id": "UTC", "quartz_cron_expression": "c"}';
    const library = '{"maven": {"repo": "r", "coordinates": "c"}}';
    for (const [json, marked, yaml] of [
      ['{"max_retries": 1, "name": "a"}', 'timeout_seconds: 1\n‸', 'name: a\nmax_retries: 1'],
      [schedule, 'schedule:\n    ‸\n', 'quartz_cron_expression: c\n    timezone_id: UTC'],
      [schedule, 'schedule: ‸\n', '\n  quartz_cron_expression: c\n  timezone_id: UTC'],
      ['{"spark_version": "v"}', 'settings:\n  new_cluster: ‸\n', '\n    spark_version: v'],
      ['[{"jar": "a"}, {"egg": "b"}]', 'libraries: ‸\n', '\n  - jar: a\n  - egg: b'],
      ['{"jar": "a"}', 'libraries:\n  - ‸\n', 'jar: a'],
      [library, 'libraries:\n  - ‸\n', 'maven:\n      coordinates: c\n      repo: r'],
      ['{}', 'schedule: ‸\n', '{}'],
      ['[]', 'libraries: ‸\n', '[]'],
      ['["a\\n\\nb"]', 'spark_python_task:\n  parameters: ‸\n', '\n    - |-\n      a\n\n      b'],
    ] as const)
      assert.equal(pasted(json, marked), yaml, marked);
  });

  it('leaves other text and other places to the editor', () => {
    for (const text of ['name: a', '{name: a}', '[1', '"a"', '5', '', '{"a": 1} b', 'x {"a": 1}'])
      assert.equal(pasted(text, 'name: x\n‸'), undefined, text);
    for (const marked of ['{"name": "x", ‸}', 'schedule: {‸}\n', 'libraries: [‸]\n', 'name: x # ‸\n', 'a: |\n  ‸\n'])
      assert.equal(pasted('{"a": 1}', marked), undefined, marked);
  });
});
