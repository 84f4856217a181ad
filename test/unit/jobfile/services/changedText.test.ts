import assert from 'node:assert/strict';
import { withSettings } from '../../../../src/jobfile/services/withSettings.ts';

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
    ['# list:\nname: a\n', { name: 'b', libraries: [{ jar: 'a' }] }, '# list:\nname: b\nlibraries:\n  - jar: a\n'],
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
    ['x-n: &n a\nname: *n\nmax_retries: 1\n', { name: 'a', max_retries: 2 }, 'x-n: &n a\nname: *n\nmax_retries: 2\n'],
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
    ['- a\n', { name: 'x' }, 'name: x\n'],
    ['', { name: 'x' }, 'name: x\n'],
    ['new_cluster: {<<: c, num_workers: 1}\nname: a # n\n', { name: 'b' }, 'name: b\n'],
    [`x-a: &a [1]\nname: a\ntags: [${'*a, '.repeat(200)}]\n`, { name: 'b' }, 'name: b\n'],
  ],
  'writes anew with the comment at its top and the number of its job': [
    ['# head\n\n\t# more\n  \nname: [ # a\n# later\n', { name: 'x' }, '# head\n\n\t# more\n  \nname: x\n'],
    ['name: [\n# later\nx-job_id: 5\n', { name: 'x' }, 'name: x\n'],
    ["job_id:\t'1234567890123456789'\nname: [\n", { name: 'x' }, 'job_id: 1234567890123456789\nname: x\n'],
    ['name: [\njob_id:"12"\n', { name: 'x' }, 'job_id: 12\nname: x\n'],
    ['# only\n', { name: 'x' }, '# only\nname: x\n'],
  ],
};

describe('a job file that gets other settings', () => {
  for (const [what, examples] of Object.entries(cases))
    it(what, () => {
      for (const [text, settings, wanted] of examples)
        assert.equal(withSettings(text, settings as never), wanted, text);
    });
});
