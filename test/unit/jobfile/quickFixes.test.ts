import assert from 'node:assert/strict';
import { quickFixes } from '../../../src/jobfile/services/quickFixes.ts';
import { validate } from '../../../src/jobfile/services/validate.ts';
import { fileReferences, missingFileProblems } from '../../../src/jobfile/services/workspaceFiles.ts';
import { parseDocument } from '../../../src/jobfile/yaml/document.ts';
import { changed } from '../../../src/jobfile/yaml/textRange.ts';

/** What each fix of the first problem makes of the text. */
function fixes(text: string): Record<string, string> {
  const document = parseDocument(text);
  const [problem] = validate(document, { nowMs: 0 });
  assert.ok(problem);
  return Object.fromEntries(quickFixes(problem, document).map((fix) => [fix.title, changed(text, fix.changes)]));
}

const task = 'spark_python_task:\n  python_file: /a.py\n';

describe('quickFixes', () => {
  it('changes a name to the one that was meant', () => {
    assert.deepEqual(fixes(`existing_cluster_id: c\n${task}time_out_seconds: 5\n`), {
      'Change to timeout_seconds': `existing_cluster_id: c\n${task}timeout_seconds: 5\n`,
      'Remove time_out_seconds': `existing_cluster_id: c\n${task}`,
      'Ignore unknownField here': `existing_cluster_id: c\n${task}# millrace-ignore: unknownField\ntime_out_seconds: 5\n`,
    });
  });

  it('changes a value to the right type', () => {
    assert.deepEqual(fixes(`existing_cluster_id: c\n${task}timeout_seconds: "60"\n`), {
      'Change to 60': `existing_cluster_id: c\n${task}timeout_seconds: 60\n`,
    });
    assert.deepEqual(fixes(`${task}new_cluster:\n  spark_version: 7.10\n  node_type_id: n\n  num_workers: 1\n`), {
      'Change to "7.10"': `${task}new_cluster:\n  spark_version: "7.10"\n  node_type_id: n\n  num_workers: 1\n`,
    });
    assert.deepEqual(fixes(`existing_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n  parameters: ls\n`), {
      'Change to ["ls"]': `existing_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n  parameters: ["ls"]\n`,
    });
  });

  it('adds missing fields', () => {
    assert.deepEqual(fixes(`existing_cluster_id: c\n${task}schedule:\n  pause_status: PAUSED # soon\n`), {
      'Add quartz_cron_expression, timezone_id':
        `existing_cluster_id: c\n${task}schedule:\n  pause_status: PAUSED # soon\n  quartz_cron_expression: ` +
        '0 0 8 * * ?\n  timezone_id: UTC\n',
    });
    assert.deepEqual(fixes(`${task}`), {
      'Add existing_cluster_id': `${task.trimEnd()}\nexisting_cluster_id: \n`,
      'Add new_cluster': `${task.trimEnd()}\nnew_cluster:\n  num_workers: 1\n  spark_version: \n  node_type_id: \n`,
    });
    const answered =
      'job_id: 7\nsettings:\n  existing_cluster_id: c\n  spark_python_task:\n    python_file: /a.py\n  schedule:\n    timezone_id: UTC\n';
    assert.deepEqual(fixes(answered), {
      'Add quartz_cron_expression': `${answered}    quartz_cron_expression: 0 0 8 * * ?\n`,
    });
    assert.deepEqual(fixes('{"pipeline_task": {}}'), { 'Add pipeline_id': '{"pipeline_task": {"pipeline_id": ""}}' });
  });

  it('keeps one of several fields', () => {
    assert.deepEqual(fixes(`existing_cluster_id: c\n${task}pipeline_task:\n  pipeline_id: p\n`), {
      'Keep spark_python_task, remove pipeline_task': `existing_cluster_id: c\n${task}`,
      'Keep pipeline_task, remove spark_python_task': 'existing_cluster_id: c\npipeline_task:\n  pipeline_id: p\n',
    });
    assert.deepEqual(fixes(`existing_cluster_id: c\n${task}libraries:\n  - jar: a.jar\n    egg: b.egg\n`), {
      'Keep jar, remove egg': `existing_cluster_id: c\n${task}libraries:\n  - jar: a.jar\n`,
      'Keep egg, remove jar': `existing_cluster_id: c\n${task}libraries:\n  - egg: b.egg\n`,
    });
  });

  it('keeps the quotes of JSON', () => {
    const rest = '"existing_cluster_id": "c", "spark_python_task": {"python_file": "/a.py"}';
    const first = (text: string): string => Object.values(fixes(text))[0] ?? '';
    assert.equal(first(`{"retries": 2, ${rest}}`), `{"max_retries": 2, ${rest}}`);
    assert.deepEqual(JSON.parse(first(`{"cron": "@daily", ${rest}}`)), {
      schedule: { quartz_cron_expression: '0 0 0 * * ?', timezone_id: 'UTC' },
      ...(JSON.parse(`{${rest}}`) as object),
    });
  });

  it('removes a field from braces with its comma', () => {
    assert.deepEqual(
      fixes(
        '{"name": "x", "existing_cluster_id": "c", "spark_python_task": {"python_file": "/a.py"}, "colour": "red"}',
      ),
      {
        'Remove colour': '{"name": "x", "existing_cluster_id": "c", "spark_python_task": {"python_file": "/a.py"}}',
      },
    );
  });

  it('adds fields in the column of the mapping', () => {
    const list = `existing_cluster_id: c\n${task}libraries:\n`;
    assert.deepEqual(fixes(`${list}  - maven:\n      repo: https://r.example\n  - jar: a.jar\n`), {
      'Add coordinates': `${list}  - maven:\n      repo: https://r.example\n      coordinates: \n  - jar: a.jar\n`,
    });
    assert.deepEqual(fixes(`${list}  - cran: {repo: x}\n`), {
      'Add package': `${list}  - cran: {repo: x, package: }\n`,
    });
    assert.equal(
      fixes('existing_cluster_id: c\npipeline_task:\n  x: 1 # why\n')['Add pipeline_id'],
      'existing_cluster_id: c\npipeline_task:\n  x: 1 # why\n  pipeline_id: \n',
    );
    const schedule = 'schedule:\r\n  pause_status: PAUSED\r\n  timezone_id: UTC';
    const windows = `existing_cluster_id: c\r\n${task.replaceAll('\n', '\r\n')}${schedule}`;
    for (const end of ['', '\r\n', ' # soon\r\n'])
      assert.deepEqual(fixes(windows + end), {
        'Add quartz_cron_expression': `${windows}${end.replace('\r\n', '')}\n  quartz_cron_expression: 0 0 8 * * ?${end.includes('\r') ? '\r\n' : ''}`,
      });
  });
});

interface Outcome {
  message: string;
  /** What the fix makes of the file, and of others. */
  fixed?: string;
  files?: Record<string, string>;
  title?: string;
}

function outcomeOf(text: string): Outcome {
  const document = parseDocument(text);
  const problems = validate(document, { nowMs: 0 });
  const problem = problems.find(({ code }) => code === 'severalTasks');
  assert.ok(problem, problems.map(({ code }) => code).join());
  assert.equal(text.slice(problem.start, problem.end).replaceAll('"', ''), 'tasks');
  const fix = quickFixes(problem, document).find(({ title }) => title.startsWith('Make '));
  if (!fix) return { message: problem.message };
  const files = Object.fromEntries((fix.newFiles ?? []).map(({ name, text: content }) => [name, content]));
  return { message: problem.message, title: fix.title, fixed: changed(text, fix.changes), files };
}

const fails = 'Version 2.0 of the API stores a list of tasks but does not run it: a run of this job fails.';

describe('A list of tasks', () => {
  it('becomes the task of the job if it has one task', () => {
    const text = `# nightly
name: report
timeout_seconds: 60
tasks: # one
  # reads the sources
  - task_key: read
    depends_on: []
    # the notebook
    notebook_task:
        notebook_path: /read # here
        base_parameters: {a: "1"}
    # shared
    job_cluster_key: small
    libraries:
    - jar: /a.jar
    run_if: ALL_SUCCESS
job_clusters:
  - job_cluster_key: large
    new_cluster: {}
  - new_cluster:
      # as agreed
      spark_version: 15.4.x-scala2.12
      spark_conf:
        a: |
          x
            y
    job_cluster_key: small
# how often
max_concurrent_runs: 1
format: MULTI_TASK
`;
    const { title, fixed, message } = outcomeOf(text);
    assert.equal(title, 'Make read the task of the job');
    assert.equal(message, `${fails} Move the single task to the top of the file, as the quick fix does.`);
    assert.equal(
      fixed,
      `# nightly
name: report
timeout_seconds: 60
# reads the sources
# the notebook
notebook_task:
    notebook_path: /read # here
    base_parameters: {a: "1"}
libraries:
- jar: /a.jar
new_cluster:
  # as agreed
  spark_version: 15.4.x-scala2.12
  spark_conf:
    a: |
      x
        y
# how often
max_concurrent_runs: 1
`,
    );
  });

  const unmoved: Record<string, [text: string, why: string]> = {
    'a task that holds nothing': ['tasks:\n  - task_key: t\n', 'the task t has nothing to run'],
    'a task that is no mapping': ['tasks: [t]\n', 'the task is not a mapping of fields'],
    'a task of a later version': [
      'tasks:\n  - task_key: t\n    sql_task: {}\n',
      'the task t is a sql_task, which version 2.0 does not have',
    ],
    'a task beside the job’s own': [
      'notebook_task: {notebook_path: /a}\ntasks:\n  - task_key: t\n    notebook_task: {notebook_path: /b}\n',
      'the job has notebook_task in addition to the list',
    ],
    'a cluster that is not there': [
      'tasks:\n  - task_key: t\n    notebook_task: {notebook_path: /b}\n    job_cluster_key: k\n',
      'the cluster k of the task t is not in job_clusters',
    ],
    'a setting that is given otherwise': [
      'timeout_seconds: 5\ntasks:\n  - task_key: t\n    notebook_task: {notebook_path: /b}\n    timeout_seconds: 6\n',
      'timeout_seconds is given for the job and, differently, for the task t',
    ],
    'a task that waits': [
      'tasks:\n  - task_key: t\n    depends_on: [{task_key: u}]\n    notebook_task: {notebook_path: /b}\n',
      'the task t waits for another task',
    ],
  };
  for (const [what, [text, why]] of Object.entries(unmoved)) {
    it(`stays, with the reason: ${what}`, () => {
      assert.deepEqual(outcomeOf(text), {
        message: `${fails} Write the single task at the top of the file. There is no quick fix here: ${why}.`,
      });
    });
  }

  it('becomes one file for each independent task', () => {
    const text = `job_id: 5
name: all
schedule: {quartz_cron_expression: 0 0 8 * * ?, timezone_id: UTC}
tasks:
  - task_key: a
    notebook_task: {notebook_path: /a}
    existing_cluster_id: c
  # the second
  - notebook_task: {notebook_path: /b}
    task_key: b
    existing_cluster_id: c
`;
    const rest = (path: string): string => `notebook_task: {notebook_path: ${path}}\nexisting_cluster_id: c\n`;
    const schedule = 'schedule: {quartz_cron_expression: 0 0 8 * * ?, timezone_id: UTC}\n';
    assert.deepEqual(outcomeOf(text), {
      message: `${fails} Make each task a job of its own, as the quick fix does. The new jobs do not wait for each other.`,
      title: 'Make 2 job files, one for each task',
      fixed: `job_id: 5\nname: "all: a"\n${schedule}${rest('/a')}`,
      files: { b: `name: "all: b"\n${schedule}# the second\n${rest('/b')}` },
    });
  });

  it('stays if its tasks have an order', () => {
    const task = (key: string, more = ''): string =>
      `  - task_key: ${key}\n    notebook_task: {notebook_path: /a}\n    existing_cluster_id: c\n${more}`;
    const { message, fixed } = outcomeOf(`tasks:\n${task('a')}${task('b', '    depends_on: [{task_key: a}]\n')}`);
    assert.equal(fixed, undefined);
    assert.match(message, /no quick fix, because their order would be lost: a job has one task/);
    const foreign = outcomeOf(`tasks:\n${task('a')}  - task_key: b\n    dbt_task: {}\n`);
    assert.deepEqual(foreign, {
      message: `${fails} Make each task a job of its own. There is no quick fix here: the task b is a dbt_task, which version 2.0 does not have.`,
    });
    assert.equal(outcomeOf(`tasks:\n${task('a')}${task('a')}`).fixed, undefined);
  });
});

const found = (text: string): unknown[] =>
  fileReferences(parseDocument(text)).map(({ candidates, start, end }) => [candidates, text.slice(start, end)]);

describe('fileReferences', () => {
  it('finds workspace paths and their candidates', () => {
    assert.deepEqual(found('name: x\nspark_python_task: {python_file: /a b.py}\n'), [[['/a b.py'], '/a b.py']]);
    assert.deepEqual(found('settings:\n  notebook_task:\n    notebook_path: "/n"\n'), [
      [['/n', '/n.ipynb', '/n.py', '/n.sql', '/n.r', '/n.R', '/n.scala'], '"/n"'],
    ]);
    assert.deepEqual(found('spark_python_task: {python_file: /Workspace/a.py}\n'), [
      [['/Workspace/a.py', '/a.py'], '/Workspace/a.py'],
    ]);
  });

  it('offers to create missing files inside the folder only', () => {
    const newFile = (task: string): string | undefined => {
      const document = parseDocument(task);
      return missingFileProblems(document, fileReferences(document))[0]?.data?.newFile;
    };
    assert.deepEqual(
      ['/a.py', '/b/c d.py', '/a.txt', '/../a.py', '/a/../../b.py'].map((path) =>
        newFile(`spark_python_task:\n  python_file: ${path}\n`),
      ),
      ['/a.py', '/b/c d.py', undefined, undefined, undefined],
    );
    assert.deepEqual(
      ['/r', '/r.py', '/Workspace/Users/me/r'].map((path) => newFile(`notebook_task:\n  notebook_path: ${path}\n`)),
      ['/r.py', '/r.py', '/Workspace/Users/me/r.py'],
    );
  });
});
