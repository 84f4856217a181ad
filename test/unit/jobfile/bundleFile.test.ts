import assert from 'node:assert/strict';
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
    for (const text of ['name: a\nresources: {}\n', 'job_id: 7\ntargets: {}\n', 'settings: {name: a}\nbundle: {}\n'])
      assert.ok(!service.parse(text).problems.some(({ code }) => code === 'bundleFile'), text);
  });
});

describe('A job of a bundle', () => {
  const main = service.read(`bundle: {name: etl}
variables:
  catalog: {default: main}
  size: {default: 2}
targets:
  prod: {variables: {catalog: prod}}
  dev: {default: true, variables: {catalog: "dev_\${bundle.name}"}}
`);
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
  const read = (settings: string) =>
    service.bundleJob(
      service.read(`resources:\n  jobs:\n    nightly:\n      ${settings}\n    other: {name: o}\n`),
      'nightly',
      { folder: '/etl/resources', main },
    );

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

  it('ends a circle of variables', () => {
    const document = service.read(
      'variables: {a: {default: "${var.b}"}, b: {default: "x${var.a}"}}\nresources: {jobs: {j: {name: "${var.a}", tasks: []}}}\n',
    );
    assert.equal(typeof service.bundleJob(document, 'j', { folder: '/' }), 'string');
  });
});
