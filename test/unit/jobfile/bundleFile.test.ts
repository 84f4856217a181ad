import assert from 'node:assert/strict';
import type { JobSettings } from '../../../src/api/schema/jobs/schemas.ts';
import { createJobFileService } from '../../../src/jobfile/services/jobFileService.ts';

const service = createJobFileService();

/** What the templates of the leading command line write, in short. */
const files = {
  'several tasks': `resources:
  jobs:
    nightly:
      name: nightly
      trigger: {periodic: {interval: 1, unit: DAYS}}
      parameters:
        - name: catalog
          default: \${var.catalog}
      tasks:
        - task_key: read
          notebook_task: {notebook_path: ../src/read.ipynb}
          job_cluster_key: small
          libraries: [{whl: ../dist/*.whl}]
        - task_key: write
          depends_on: [{task_key: read}]
          python_wheel_task: {package_name: app, entry_point: main, parameters: ["\${var.catalog}"]}
          environment_key: default
        - task_key: refresh
          pipeline_task: {pipeline_id: "\${resources.pipelines.app.id}"}
      job_clusters:
        - job_cluster_key: small
          new_cluster:
            spark_conf: {spark.speculation: true}
            spark_version: 16.4.x-scala2.12
            node_type_id: n
            data_security_mode: SINGLE_USER
            autoscale: {min_workers: 1, max_workers: 4}
      environments:
        - environment_key: default
          spec: {environment_version: "2", dependencies: [../dist/*.whl]}
`,
  'values that are replaced or converted': `resources:
  jobs:
    nightly:
      max_concurrent_runs: \${var.runs}
      tasks: \${var.tasks}
      email_notifications: {on_failure: "\${var.emails}"}
      parameters: [{name: count, default: 10}, {name: dry, default: true}]
      tags: {cost: 7}
      permissions: [{group_name: users, level: CAN_VIEW}]
      schedule: {quartz_cron_expression: "0 \${var.minute} 8 * * ?", timezone_id: "\${var.zone}"}
`,
  'parts that a target adds': `resources:
  jobs:
    nightly:
      tasks:
        - task_key: read
          job_cluster_key: small
        - task_key: write
          depends_on: [{task_key: read, outcome: true}]
          new_cluster: {spark_version: v}
targets: {dev: {resources: {jobs: {nightly: {job_clusters: [{job_cluster_key: small}]}}}}}
`,
  'anchors that its jobs share': `new_cluster: &cluster
  new_cluster: {num_workers: 3, spark_version: v, node_type_id: n}
permissions: &permissions
  permissions: [{group_name: users, level: CAN_VIEW}]
resources:
  jobs:
    nightly:
      job_clusters: [{job_cluster_key: main, <<: *cluster}]
      tasks: [{task_key: read, job_cluster_key: main, notebook_task: {notebook_path: ../read.py}}]
      health: {rules: [{metric: RUN_DURATION_SECONDS, op: GREATER_THAN, value: 300}]}
      <<: *permissions
`,
  'anchors with the names of fields': `tasks: &tasks
  - {task_key: read, notebook_task: {notebook_path: ../read.py}}
resources: {jobs: {nightly: {tasks: *tasks}}}
`,
  'an older name of targets': 'bundle: {name: etl}\nenvironments: {dev: {default: true}}\n',
  'no job': 'bundle: {name: etl}\ninclude: [resources/*.yml]\ntargets: {dev: {mode: development, default: true}}\n',
};

const job = (settings: string): string =>
  `variables:\n  host: {default: a.example}\ntargets:\n  prod:\n    variables: {host: b.example}\nresources:\n  jobs:\n    nightly:\n${settings.replace(/^/gm, '      ')}\n`;

const run = 'existing_cluster_id: c\nspark_python_task: {python_file: a.py}\n';

describe('A file of a bundle', () => {
  for (const [name, text] of Object.entries(files))
    it(`has no problem: ${name}`, () => {
      assert.deepEqual(service.validate(service.read(text)), []);
    });

  it('has the problems of its jobs at their places', () => {
    const text = job(
      `nmae: x\nmax_retries: often\nschedule: {quartz_cron_expression: "", timezone_id: Nowhere}\n${run}`,
    );
    assert.deepEqual(
      service.validate(service.read(text)).map(({ code, start, end }) => [code, text.slice(start, end)]),
      [
        ['unknownField', 'nmae'],
        ['wrongType', 'often'],
        ['value', '""'],
        ['unknownTimezone', 'Nowhere'],
      ],
    );
  });

  it('has the problems of what its targets change, but none of what they leave out', () => {
    const changes = 'tasks: [{task_key: read, max_retries: often}, {task_key: load, depends_on: [{task_key: read}]}]';
    const text = `targets: {dev: {resources: {jobs: {nightly: {schedule: {pause_status: PAUSE}, ${changes}}}}}}\n`;
    assert.deepEqual(
      service.validate(service.read(text)).map(({ code, start, end }) => [code, text.slice(start, end)]),
      [
        ['notAllowed', 'PAUSE'],
        ['wrongType', 'often'],
      ],
    );
  });

  it('completes the settings of its jobs, and nothing around them', async () => {
    const labels = async (text: string): Promise<string[]> =>
      (await service.complete(text, text.length)).map(({ label }) => label);
    const inJob = await labels(job('max_').trimEnd());
    assert.deepEqual([inJob.includes('max_retries'), inJob.includes('job_id')], [true, false]);
    assert.deepEqual(await labels('resources:\n  jobs:\n    nightly: {}\nb'), []);
    assert.deepEqual(await labels('resources:\n  jobs:\n    n'), []);
  });

  it('shows schedules in words', () => {
    const text = job('schedule: {quartz_cron_expression: 0 0 8 * * ?, timezone_id: UTC}');
    assert.equal(service.inlayHints(service.read(text)).length, 1);
  });

  it('shows the value of a variable in each target that sets it', async () => {
    const hoverAt = async (marked: string): Promise<string> => {
      const text = job(marked);
      const document = service.read(text.replace('‸', ''));
      return (await service.hover(document, text.indexOf('‸')))?.text.split('\n')[0] ?? '';
    };
    const shown = await hoverAt('name: ${var.h‸ost}');
    assert.ok(shown.includes('`a.example`') && shown.includes('`b.example`'), shown);
    assert.ok((await hoverAt('name: ${var.o‸ther}')).includes('${var.other}'));
    assert.ok((await hoverAt('max_ret‸ries: 1')).includes('max_retries'));
  });

  it('refers to files beside it', () => {
    const text = job(
      'notebook_task: {notebook_path: ../src/n.ipynb}\ntasks: [{spark_python_task: {python_file: /a.py}}]',
    );
    const document = service.read(text);
    assert.deepEqual(
      [service.bundleFiles(document).map(({ path }) => path), service.fileReferences(document)],
      [['../src/n.ipynb'], []],
    );
  });

  it('is not deployed as a job', () => {
    const { settings, problems } = service.parse(job(run));
    assert.deepEqual([settings, problems.map(({ severity }) => severity)], [undefined, ['error']]);
  });

  it('is none if it has a setting of a job, whatever stands beside it', () => {
    for (const text of [
      'name: a\nresources: {}\n',
      'existing_cluster_id: c\nsql_task: {}\nresources: {cpu: 1}\n',
      'job_id: 7\ntargets: {}\n',
      'settings: {name: a}\nbundle: {}\n',
    ])
      assert.ok(!service.parse(text).problems.some(({ code }) => code === 'bundleFile'), text);
  });
});

describe('A job of a bundle', () => {
  const main = {
    folder: '/etl',
    document: service.read(`bundle: {name: etl}
variables:
  catalog: {default: main}
  size: {default: 2}
targets:
  prod: {variables: {catalog: prod}}
  dev: {default: true, variables: {catalog: "dev_\${bundle.name}"}}
`),
  };
  const tasks = `tasks:
        - task_key: read
          notebook_task: {notebook_path: ../src/read.ipynb, base_parameters: {catalog: "\${var.catalog}"}}
        - task_key: load
          depends_on: [{task_key: read}]
          python_wheel_task: {package_name: app, entry_point: main}
          environment_key: default
          max_retries: \${var.size}
      environments:
        - environment_key: default
          spec: {environment_version: "2", dependencies: [../dist/app.whl, requests]}`;
  const fileOf = (text: string) => ({ document: service.read(text), folder: '/etl/resources' });
  const read = (settings: string) =>
    service.bundleJob(
      fileOf(`resources:\n  jobs:\n    nightly:\n      ${settings}\n    other: {name: o}\n`),
      'nightly',
      {
        main,
        userName: 'ann',
      },
    );
  /** Returns what a job has, whose bundle is one file, or the message. */
  const alone = (job: string, more = ''): unknown => {
    const file = fileOf(`resources: {jobs: {j: ${job}}}\n${more}`);
    return service.bundleJob(file, 'j', { main: file, userName: 'ann' });
  };
  const parametersOf = (values: string, more = ''): unknown => {
    const job = alone(`{tasks: [{task_key: t, notebook_task: {notebook_path: /n, base_parameters: ${values}}}]}`, more);
    if (typeof job === 'string') return job;
    return (job as JobSettings).tasks?.[0]?.notebook_task?.base_parameters;
  };

  it('runs with the values of the default target and with paths of the workspace', () => {
    assert.deepEqual(read(tasks), {
      name: 'nightly',
      tasks: [
        {
          task_key: 'read',
          notebook_task: { notebook_path: '/etl/src/read.ipynb', base_parameters: { catalog: 'dev_etl' } },
        },
        {
          task_key: 'load',
          depends_on: [{ task_key: 'read' }],
          python_wheel_task: { package_name: 'app', entry_point: 'main' },
          environment_key: 'default',
          max_retries: 2,
        },
      ],
      environments: [
        {
          environment_key: 'default',
          spec: { environment_version: '2', dependencies: ['/etl/dist/app.whl', 'requests'] },
        },
      ],
    });
  });

  it('leaves out what is for the workspace of the bundle', () => {
    const more = 'schedule: {quartz_cron_expression: "0 0 8 * * ?", timezone_id: UTC}\n      permissions: []\n      ';
    assert.deepEqual(read(more + tasks), read(tasks));
  });

  it('does not run without a value that its program gets', () => {
    const refused = read(tasks.replace('var.catalog', 'var.unknown'));
    assert.ok(typeof refused === 'string' && refused.includes('${var.unknown}'));
  });

  it('does not run with a circle of variables', () => {
    const circle = 'variables: {a: {default: "${var.b}"}, b: {default: "x${var.a}"}}\n';
    assert.match(String(parametersOf('{p: "${var.a}"}', circle)), /back to itself/);
    const wide = Array.from(
      { length: 19 },
      (_, index) => `v${index}: {default: "\${var.v${index + 1}}\${var.v${index + 1}}"}`,
    );
    assert.match(String(parametersOf('{p: "${var.v0}"}', `variables: {${wide.join(', ')}}`)), /v\d+/);
  });

  it('says which values exist only after a deploy', () => {
    assert.match(String(parametersOf('{p: "${workspace.artifact_path}"}')), /deployed/);
    const other = '{tasks: [{task_key: t, run_job_task: {job_id: "${resources.jobs.o.id}"}}]}';
    assert.match(String(alone(other)), /deployed/);
  });

  it('takes values of this machine in place of those of a workspace', () => {
    assert.deepEqual(
      parametersOf(
        '{t: "${bundle.target}", f: "${workspace.file_path}/a", u: "${workspace.current_user.userName}", s: "${workspace.current_user.short_name}"}',
      ),
      { t: 'default', f: '/etl/resources/a', u: 'ann', s: 'ann' },
    );
  });

  it('takes parts of lists and mappings, which a target can replace', () => {
    const more =
      'variables: {l: {default: [x, y]}, c: {type: complex, default: {k: 1}}}\ntargets: {dev: {variables: {c: {k: 2}}}}\n';
    assert.deepEqual(parametersOf('{a: "${var.l[1]}", b: "${var.c.k}"}', more), { a: 'y', b: '2' });
    assert.match(String(parametersOf('{a: "${var.l[2]}"}', more)), /\$\{var\.l\[2\]\}/);
  });

  it('has numbers, booleans and texts where they are needed', () => {
    const job =
      '{timeout_seconds: "${var.s}", parameters: [{name: n, default: 10}], tasks: [{task_key: a, condition_task: {op: EQUAL_TO, left: 1, right: true}}, {task_key: b, depends_on: [{task_key: a, outcome: true}], run_job_task: {job_id: 7}}]}';
    assert.deepEqual(alone(job, 'variables: {s: {default: 60}}\n'), {
      name: 'j',
      timeout_seconds: 60,
      parameters: [{ name: 'n', default: '10' }],
      tasks: [
        { task_key: 'a', condition_task: { op: 'EQUAL_TO', left: '1', right: 'true' } },
        { task_key: 'b', depends_on: [{ task_key: 'a', outcome: 'true' }], run_job_task: { job_id: '7' } },
      ],
    });
  });

  it('has the settings of the default target', () => {
    const job = '{max_retries: 1, tasks: [{task_key: a, notebook_task: {notebook_path: n.py}}]}';
    const target =
      'targets: {dev: {resources: {jobs: {j: {name: d, tasks: [{task_key: a, max_retries: 2}, {task_key: b, notebook_task: {notebook_path: /m}}]}}}}}\n';
    assert.deepEqual(alone(job, target), {
      name: 'd',
      max_retries: 1,
      tasks: [
        { task_key: 'a', notebook_task: { notebook_path: '/etl/resources/n.py' }, max_retries: 2 },
        { task_key: 'b', notebook_task: { notebook_path: '/m' } },
      ],
    });
  });

  it('has only its own paths changed', () => {
    const task = (file: string, library: string): string =>
      `{tasks: [{task_key: t, spark_python_task: {python_file: ${file}, source: GIT, parameters: [./a.py]}, libraries: [{${library}}]}]}`;
    const pathsOf = (job: unknown): unknown => {
      const [only] = (job as JobSettings).tasks ?? [];
      return [only?.spark_python_task, only?.libraries?.[0]];
    };
    assert.deepEqual(pathsOf(alone(task('s3://b/x.py', 'whl: ../dist/*.whl'))), [
      { python_file: 's3://b/x.py', parameters: ['./a.py'] },
      { whl: '/etl/dist/*.whl' },
    ]);
    assert.deepEqual(pathsOf(alone(task('src/x.py', 'requirements: requirements.txt'))), [
      { python_file: '/src/x.py', parameters: ['./a.py'] },
      { requirements: '/etl/resources/requirements.txt' },
    ]);
    assert.deepEqual(parametersOf('{python_file: p.py}'), { python_file: 'p.py' });
  });
});
