import assert from 'node:assert/strict';
import { taskListFixes } from '../../../../src/jobfile/services/taskListFix.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import { changed } from '../../../../src/jobfile/yaml/textChange.ts';
import { assertApproved } from '../../../support/approved.ts';

const task = (key: string, more = ''): string =>
  `  - task_key: ${key}\n    notebook_task: {notebook_path: /${key}}\n    existing_cluster_id: c\n${more}`;
const listOf = (count: number): string =>
  `tasks:\n${Array.from({ length: count }, (_, index) => task(`t${index}`)).join('')}`;

const texts: readonly string[] = [
  '',
  'name: a\n',
  'tasks: []\n',
  'tasks: 5\n',
  listOf(1),
  listOf(2),
  // Names, with and without a job's.
  `name: all\n${listOf(2)}`,
  `name: 5\n${listOf(2)}`,
  `name: "a: b" # why\n${listOf(1)}`,
  `name: all # here\n${listOf(2)}max_retries: 1\n`,
  'tasks:\n  - notebook_task: {notebook_path: /a}\n    existing_cluster_id: c\n  - spark_jar_task: {main_class_name: M}\n' +
    '    existing_cluster_id: c\n',
  'tasks:\n  - {task_key: "a: b", spark_jar_task: {}}\n  - {task_key: "5", spark_jar_task: {}}\n',
  // Nothing is lost: two of one name, an order, a task that is none, one of a later version.
  `tasks:\n${task('a')}${task('a')}`,
  `tasks:\n${task('a')}${task('b', '    depends_on: [{task_key: a}]\n')}`,
  `tasks:\n${task('a')}  - b\n`,
  `tasks:\n${task('a')}  - task_key: b\n    sql_task: {}\n`,
  `name: a\nname: "b\n${listOf(1)}`,
  `name: *gone\n${listOf(1)}`,
  // The id of the job, which the first task keeps.
  `job_id: 5\nsettings:\n  name: all\n  tasks:\n${task('a').replace(/^/gm, '  ').trimEnd()}\n` +
    `${task('b').replace(/^/gm, '  ').trimEnd()}\n  max_retries: 2\n`,
  `# mine\njob_id: 9007199254740993\nname: all\n${listOf(2)}`,
  `job_id: 5\n${listOf(1)}`,
  // In braces the whole file is written anew.
  '{"name": "n", "tasks": [{"task_key": "a", "spark_jar_task": {"main_class_name": "M"}}, {"task_key": "b", ' +
    '"spark_jar_task": {"main_class_name": "N"}}]}',
  '{"job_id": 1234567890123456789, "settings": {"name": "n", "tasks": [{"task_key": "a", ' +
    '"spark_jar_task": {"main_class_name": "M"}}, {"task_key": "b", "spark_jar_task": {"main_class_name": "N"}}]}}',
  '{job_id: "x", settings: {tasks: [{task_key: a, spark_jar_task: {main_class_name: M}}]}}',
  '{job_id: "7", settings: {tasks: [{task_key: a, spark_jar_task: {main_class_name: M}}]}}',
  // Clusters that tasks share, written in each way.
  `tasks:\n  - task_key: a\n    job_cluster_key: k\n    notebook_task: {notebook_path: /a}\njob_clusters:\n` +
    `  - {job_cluster_key: k, new_cluster: {num_workers: 1}}\n`,
  `tasks:\n  - task_key: a\n    job_cluster_key: k\n    notebook_task: {notebook_path: /a}\n  - task_key: b\n` +
    `    job_cluster_key: l\n    notebook_task: {notebook_path: /b}\njob_clusters:\n  - job_cluster_key: k\n    new_cluster:\n` +
    `      num_workers: 1 # one\n\n      spark_conf: {a: b}\n  - new_cluster: {num_workers: 2}\n    job_cluster_key: l`,
  `job_clusters:\n- job_cluster_key: k\n  new_cluster:\n    num_workers: 1\nformat: MULTI_TASK\ntasks:\n- task_key: a\n` +
    `  job_cluster_key: k\n  notebook_task:\n    notebook_path: /a`,
  // Comments and blank lines: those of what moves go with it.
  'tasks:\n\n  # of a\n  - task_key: a\n\n    # of the notebook\n    notebook_task:\n      notebook_path: /a # there\n' +
    '    # of the cluster\n    existing_cluster_id: c\n\n  # of b\n  #\n  - task_key: b\n    existing_cluster_id: c\n' +
    '    spark_python_task:\n      python_file: /b.py\n      parameters:\n      - x\n\n# behind\nmax_retries: 1\n',
  'tasks:\n  - # inside\n    task_key: a\n    notebook_task: {notebook_path: /a}\n    existing_cluster_id: c\n',
  '# above\ntasks: # of the list\n- task_key: a\n  description: |\n    first\n      second\n\n    third\n' +
    '  notebook_task: {notebook_path: /a}\n  existing_cluster_id: c\n# under\n',
  'tasks:\n      - task_key: a\n        notebook_task:\n            notebook_path: /a\n      # wide\n      - task_key: b\n' +
    '        notebook_task:\n            notebook_path: /b\n        libraries:\n            - jar: x\n',
  // What a task takes from an anchor is written out.
  'x-b: &b {existing_cluster_id: c}\ntasks:\n  - <<: *b\n    task_key: a\n    notebook_task: {notebook_path: /a}\n' +
    '  - {<<: *b, task_key: b, notebook_task: {notebook_path: /b}}\n',
  // What is said of the job and of the task alike stands once.
  'max_retries: 2\ntimeout_seconds: 5\ntasks:\n  - task_key: a\n    max_retries: 2\n    notebook_task: {notebook_path: /a}\n' +
    '    existing_cluster_id: c\n    timeout_seconds: 5\n',
  'max_retries: 2\ntasks:\n  - task_key: a\n    max_retries: 3\n    notebook_task: {notebook_path: /a}\n    existing_cluster_id: c\n',
  // Line ends of another system, and none at the end.
  listOf(2).replaceAll('\n', '\r\n'),
  listOf(2).trimEnd(),
  'tasks:\n  - task_key: a\n    notebook_task: {notebook_path: /a}\n    existing_cluster_id: &c c\n  - task_key: b\n' +
    '    notebook_task: {notebook_path: /b}\n    existing_cluster_id: *c\n',
];

function told(text: string): string {
  const fixes = taskListFixes(parseDocument(text));
  if (fixes.length === 0) return 'nothing\n';
  return fixes
    .map(({ title, isPreferred, changes, newFiles }) => {
      const files = (newFiles ?? []).map(({ name, text: content }) => `-- ${name}\n${content}\n`);
      return `${title}${isPreferred ? ' (first)' : ''}\n${changed(text, changes)}\n${files.join('')}`;
    })
    .join('');
}

describe('jobs of one task that are made of a list', () => {
  it('are what was approved', () => {
    const all = texts.map((text) => `== ${text}\n>> ${told(text)}`).join('\n');
    assertApproved('task-list-fixes', all.replaceAll('\r', '␍'));
  });

  it('are twenty at most', () => {
    assert.deepEqual(
      [20, 21].map((count) => taskListFixes(parseDocument(listOf(count)))[0]?.newFiles?.length),
      [19, undefined],
    );
  });

  it('come of a file without an error only, and of one that can be read as a whole', () => {
    assert.deepEqual(taskListFixes(parseDocument(`${listOf(1)}name: "a\n`)), []);
    const bombs = Array.from({ length: 9 }, (_, level) =>
      level === 0
        ? 'x-0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n'
        : `x-${level}: &a${level} [${`*a${level - 1},`.repeat(10)}]\n`,
    ).join('');
    assert.deepEqual(taskListFixes(parseDocument(`${bombs}${listOf(1)}`)), []);
  });
});
