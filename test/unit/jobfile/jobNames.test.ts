import assert from 'node:assert/strict';
import { createJobFileService } from '../../../src/jobfile/services/jobFileService.ts';
import { changed } from '../../../src/jobfile/yaml/textRange.ts';

const service = createJobFileService();

/** A job with several tasks; the second has the settings. */
const jobOf = (settings: string): string => `name: etl
parameters: [{name: day, default: "1"}]
job_clusters:
  - job_cluster_key: small
    new_cluster: {spark_version: v, node_type_id: n, num_workers: 1}
environments: [{environment_key: light}]
tasks:
  - task_key: read
    spark_python_task: {python_file: /read.py}
    job_cluster_key: small
  - task_key: write
    ${settings}
  - task_key: last
    depends_on: [{task_key: write}]
    run_job_task: {job_id: 1}
`;

const program = (parameter: string): string =>
  `spark_python_task: {python_file: /write.py, parameters: ["${parameter}"]}`;

const forEach = (inputs: string): string =>
  `for_each_task: {inputs: ${inputs}, task: {task_key: t, ${program('{{input}}')}}}`;

const after = 'depends_on: [{task_key: read}]\n    ';

describe('A job with several tasks', () => {
  it('has no problem if its names fit', () => {
    const text = jobOf(
      `${after}environment_key: light\n    ${program('{{tasks.read.values.rows}} {{job.parameters.day}}')}`,
    );
    assert.deepEqual(service.validate(service.read(text)), []);
  });

  for (const [name, settings, code, place] of [
    ['a task that waits for itself', `depends_on: [{task_key: write}]\n    ${program('a')}`, 'circle', 'depends_on'],
    ['an unknown task', `depends_on: [{task_key: gone}]\n    ${program('a')}`, 'unknownKey', 'gone'],
    ['an unknown cluster', `job_cluster_key: gone\n    ${program('a')}`, 'unknownKey', 'gone'],
    ['an unknown environment', `environment_key: gone\n    ${program('a')}`, 'unknownKey', 'gone'],
    [
      'a value of a task that does not end before',
      program('{{tasks.last.values.x}}'),
      'taskNotBefore',
      '"{{tasks.last.values.x}}"',
    ],
    ['two kinds of task', `pipeline_task: {pipeline_id: p}\n    ${program('a')}`, 'oneTask', 'pipeline_task'],
    ['a secret in a task', program('--password=abcdefgh'), 'plainSecret', '"--password=abcdefgh"'],
    [
      'a parameter that the job does not have',
      program('{{job.parameters.q}}'),
      'unknownParameter',
      '"{{job.parameters.q}}"',
    ],
    ['an input outside a for-each task', program('{{input}}'), 'noInput', '"{{input}}"'],
    [
      'an outcome of a task that is no condition',
      `depends_on: [{task_key: read, outcome: "true"}]\n    ${program('a')}`,
      'noOutcome',
      '"true"',
    ],
    [
      'a dependency that is given twice',
      `depends_on: [{task_key: read}, {task_key: read}]\n    ${program('a')}`,
      'duplicateEntry',
      'read',
    ],
    [
      'parameters of two kinds',
      'python_wheel_task: {package_name: a, entry_point: b, parameters: [x], named_parameters: {y: z}}',
      'oneParameterKind',
      'named_parameters',
    ],
    ['inputs that are no list', forEach("'[1,'"), 'noInputs', "'[1,'"],
    ['inputs that are a mapping', forEach(`'{"a": 1}'`), 'noInputs', `'{"a": 1}'`],
    [
      'a for-each task in another',
      `for_each_task: {inputs: '[1]', task: {task_key: t, for_each_task: {inputs: '[1]', task: {task_key: u, ${program('a')}}}}}`,
      'nestedForEach',
      'for_each_task',
    ],
    ['nothing to run', 'timeout_seconds: 1', 'noTask', 'task_key'],
  ] as const)
    it(`is told about ${name} at its place`, () => {
      const text = jobOf(settings);
      assert.deepEqual(
        service.validate(service.read(text)).map((problem) => [problem.code, text.slice(problem.start, problem.end)]),
        [[code, place]],
      );
    });

  it('is told about settings of a job with one task', () => {
    const text = `max_retries: 1\n${jobOf(`${after}${program('a')}`)}`;
    assert.deepEqual(
      service.validate(service.read(text)).map(({ code, severity, start }) => [code, severity, start]),
      [['besideTasks', 'warning', 0]],
    );
  });

  it('is told about a key that two tasks have', () => {
    const text = jobOf(program('a')).replace('task_key: read', 'task_key: last');
    assert.deepEqual(
      service.validate(service.read(text)).map(({ code }) => code),
      ['duplicateEntry'],
    );
  });

  it('completes the names of other tasks, clusters and environments', async () => {
    for (const [settings, names] of [
      ['depends_on:\n      - task_key: ‸', ['read', 'last']],
      ['depends_on: [{task_key: ‸}]', ['read', 'last']],
      ['job_cluster_key: ‸', ['small']],
      ['environment_key: ‸', ['light']],
    ] as const) {
      const marked = jobOf(settings);
      const found = await service.complete(marked.replace('‸', ''), marked.indexOf('‸'));
      assert.deepEqual(
        found.map(({ label }) => label),
        names,
        settings,
      );
    }
  });

  it('completes references to its parameters and tasks, in quotes where YAML needs them', async () => {
    for (const [settings, quote] of [
      [program('{{job.‸'), ''],
      [program('a {{‸}}'), ''],
      ['condition_task:\n      left: {{‸', '"'],
    ] as const) {
      const marked = jobOf(settings);
      const found = await service.complete(marked.replace('‸', ''), marked.indexOf('‸'));
      const snippets = found.map(({ snippet }) => snippet);
      assert.ok(snippets.includes(`${quote}{{job.parameters.day\\}\\}${quote}`), snippets.join());
      assert.ok(snippets.includes(`${quote}{{tasks.read.result_state\\}\\}${quote}`), snippets.join());
      assert.equal(
        snippets.some((snippet) => snippet.includes('tasks.write')),
        false,
      );
    }
  });

  it('leads from a name to its entry, and renames it everywhere', () => {
    const text = jobOf(`${after}${program('{{tasks.read.values.rows}} {{job.parameters.day}}')}`);
    const document = service.read(text);
    for (const [use, entry] of [
      ['task_key: ‸read}', 'task_key: ‸read\n'],
      ['tasks.‸read.', 'task_key: ‸read\n'],
      ['parameters.‸day', 'name: ‸day'],
      ['    job_cluster_key: ‸small\n  - task', '- job_cluster_key: ‸small'],
    ] as const) {
      const offset = (marked: string): number => text.indexOf(marked.replace('‸', '')) + marked.indexOf('‸');
      assert.equal(service.definitionOf(document, offset(use))?.start, offset(entry), use);
    }
    const places = service.placesOf(document, text.indexOf('read'));
    const renamed = changed(
      text,
      places.map((place) => ({ ...place, text: 'load' })),
    );
    assert.equal(renamed, text.replaceAll('task_key: read', 'task_key: load').replace('tasks.read.', 'tasks.load.'));
  });

  it('has its tasks in the outline', () => {
    const tasks = service.symbols(service.read(jobOf(program('a')))).find(({ name }) => name === 'tasks');
    assert.deepEqual(
      tasks?.children.map(({ name }) => name),
      ['read', 'write', 'last'],
    );
  });

  it('is a graph with the task at the cursor, also in a bundle', () => {
    const text = jobOf(`${after}${program('a')}`);
    for (const whole of [text, `resources:\n  jobs:\n    first: {}\n    etl:\n${text.replace(/^(?=.)/gm, '      ')}`]) {
      const { tasks, shown } = service.graphAt(service.read(whole), whole.indexOf('/write.py'));
      assert.equal(shown, 'write');
      assert.deepEqual(
        tasks.map((task) => [task.key, task.after]),
        [
          ['read', []],
          ['write', ['read']],
          ['last', ['write']],
        ],
      );
    }
  });

  it('refers to the files of each task', () => {
    assert.deepEqual(
      service.fileReferences(service.read(jobOf(program('a')))).map(({ path }) => path),
      ['/read.py', '/write.py'],
    );
  });
});
