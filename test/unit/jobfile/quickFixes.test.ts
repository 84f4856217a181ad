import assert from 'node:assert/strict';
import { quickFixes } from '../../../src/jobfile/services/quickFixes.ts';
import { otherForm } from '../../../src/jobfile/services/taskForms.ts';
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

/** The other form of the job, at the first of a key in the text. */
function rewritten(text: string, key: string): string | undefined {
  const [form] = otherForm(parseDocument(text), text.search(new RegExp(`^ *${key}:`, 'm')) + 1);
  return form && changed(text, form.changes);
}

describe('A job of one task', () => {
  const top = `# nightly
name: report
# the notebook
notebook_task:
    notebook_path: /read # here
libraries:
- jar: /a.jar
new_cluster:
  # as agreed
  spark_conf:
    a: |
      x
        y
max_retries: 2
# how often
max_concurrent_runs: 1
`;

  it('moves from a list of tasks to the top of the job, with its shared cluster and its comments', () => {
    const text = `# nightly
name: report
tasks: # one
  # the notebook
  - task_key: read
    depends_on: []
    notebook_task:
        notebook_path: /read # here
    job_cluster_key: small
    libraries:
    - jar: /a.jar
    max_retries: 2
job_clusters:
  - job_cluster_key: large
    new_cluster: {}
  - new_cluster:
      # as agreed
      spark_conf:
        a: |
          x
            y
    job_cluster_key: small
# how often
max_concurrent_runs: 1
format: MULTI_TASK
`;
    const [retries] = /max_retries: 2\n/.exec(top) ?? [''];
    assert.equal(rewritten(text, 'tasks'), top.replace(retries, '').replace('new_cluster', `${retries}new_cluster`));
  });

  it('moves to a list of tasks', () => {
    assert.equal(
      rewritten(top, 'notebook_task'),
      `# nightly
name: report
tasks:
  - task_key: main
    # the notebook
    notebook_task:
        notebook_path: /read # here
    libraries:
    - jar: /a.jar
    new_cluster:
      # as agreed
      spark_conf:
        a: |
          x
            y
    max_retries: 2
# how often
max_concurrent_runs: 1
`,
    );
  });

  it('keeps its form if something would be lost', () => {
    const list = (task: string): string => `tasks:\n  - task_key: t\n    ${task}\n`;
    for (const text of [
      list('sql_task: {}'),
      list('depends_on: [{task_key: u}]\n    run_job_task: {job_id: 1}'),
      list('job_cluster_key: gone\n    notebook_task: {notebook_path: /a}'),
      `timeout_seconds: 1\n${list('timeout_seconds: 2\n    run_job_task: {job_id: 1}')}`,
      `${list('run_job_task: {job_id: 1}')}  - task_key: u\n    run_job_task: {job_id: 1}\n`,
      'tasks: [t]\n',
    ])
      assert.equal(rewritten(text, 'tasks'), undefined, text);
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
