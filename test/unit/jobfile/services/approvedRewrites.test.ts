import { planDeploy, rewritten, settingsAfter } from '../../../../src/jobfile/services/deployPlan.ts';
import { mergeTheirs, takeTheirs } from '../../../../src/jobfile/services/mergeTheirs.ts';
import { writtenSettings } from '../../../../src/jobfile/services/parseJobFile.ts';
import { planPull } from '../../../../src/jobfile/services/pullPlan.ts';
import { withSettings } from '../../../../src/jobfile/services/withSettings.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import { assertApproved } from '../../../support/approved.ts';

type Fields = Record<string, unknown>;

/** One job, written in several hands. */
const texts: Record<string, string> = {
  'with comments and gaps': `# The nightly job.
job_id: 7

name: nightly # ours

# where
existing_cluster_id: c1

# what runs
spark_python_task:
  python_file: /main.py
  parameters: [a, 'b']   # two

libraries:
  - jar: dfs:/a.jar # first

  # second
  - pypi: { package: "x==1" }
email_notifications:
  on_failure:
    - a@example.com
    - b@example.com
max_retries: 1 # once
`,
  'with anchors and flush lists': `x-who: &who
- a@example.com
- b@example.com
name: &name nightly
existing_cluster_id: c1
spark_python_task: &task
  python_file: /main.py
  parameters: &words
  - a
  - b
libraries:
- jar: dfs:/a.jar
- pypi:
    package: x==1
email_notifications: {on_failure: *who}
max_retries: 1
`,
  'with merged keys': `x-base: &base
  existing_cluster_id: c1
  max_retries: 1
<<: *base
name: nightly
spark_python_task: { python_file: /main.py, parameters: [a, b] }
libraries: [{jar: dfs:/a.jar}, {pypi: {package: x==1}}]
email_notifications: {on_failure: [a@example.com, b@example.com]}
`,
  'as JSON of the service': `{"job_id": 7, "settings": {"name": "nightly", "existing_cluster_id": "c1",
  "spark_python_task": {"python_file": "/main.py", "parameters": ["a", "b"]},
  "libraries": [{"jar": "dfs:/a.jar"}, {"pypi": {"package": "x==1"}}],
  "email_notifications": {"on_failure": ["a@example.com", "b@example.com"]}, "max_retries": 1}}
`,
};

/** What somebody makes of its settings. */
const changes: Record<string, (settings: Fields) => Fields> = {
  nothing: (settings) => settings,
  'another order': ({ name, ...rest }) => ({
    ...rest,
    email_notifications: { on_failure: ['b@example.com', 'a@example.com'] },
    name,
  }),
  'another name': (settings) => ({ ...settings, name: 'hourly: yes' }),
  'no retries': ({ max_retries: _retries, ...rest }) => rest,
  'a default said': (settings) => ({ ...settings, timeout_seconds: 0, max_concurrent_runs: 1, format: 'SINGLE_TASK' }),
  'a parameter more': (settings) => ({
    ...settings,
    spark_python_task: { python_file: '/main.py', parameters: ['a', 'new', 'b'] },
  }),
  'a library changed': (settings) => ({
    ...settings,
    libraries: [{ jar: 'dfs:/b.jar' }, { pypi: { package: 'x==1' } }],
  }),
  'a library less': (settings) => ({ ...settings, libraries: [{ pypi: { package: 'x==1' } }] }),
  'an address more': (settings) => ({
    ...settings,
    email_notifications: { on_failure: ['a@example.com', 'c@example.com', 'b@example.com'] },
  }),
  'another task': ({ spark_python_task: _task, ...rest }) => ({
    ...rest,
    notebook_task: { notebook_path: '/n', base_parameters: { a: '1' } },
  }),
  'a new cluster': ({ existing_cluster_id: _id, ...rest }) => ({
    ...rest,
    new_cluster: {
      spark_version: '15.4.x-scala2.12',
      node_type_id: 'm',
      num_workers: 2,
      spark_env_vars: { KEY: '********' },
    },
  }),
  'a field of the service': (settings) => ({ ...settings, updated_at: 5, tags: { team: 'x' } }),
};

describe('a job file and the job of a service', () => {
  const read = (text: string): Fields => writtenSettings(parseDocument(text));
  const json = (value: unknown): string => JSON.stringify(value) ?? 'none';

  it('are brought together as approved, whoever wrote the file', () => {
    const lines = Object.entries(texts).flatMap(([hand, text]) =>
      Object.entries(changes).map(
        ([what, change]) => `--- ${hand}: ${what}\n${withSettings(text, change(read(text)))}`,
      ),
    );
    assertApproved('job-file-rewrites', lines.join(''));
  });

  it('are compared as approved, whoever changed what since the last deploy', () => {
    const base = read(texts['with merged keys'] ?? '');
    const lines: string[] = [];
    /** The settings, as far as they are not those of the last deploy. */
    const delta = (settings: Fields): string => {
      const names = Object.keys({ ...base, ...settings }).filter((name) => json(settings[name]) !== json(base[name]));
      return json(Object.fromEntries(names.map((name) => [name, settings[name] ?? 'none'])));
    };
    for (const [mine, ours] of Object.entries(changes))
      for (const [yours, theirs] of Object.entries(changes)) {
        const [file, job] = [ours(base), theirs(base)];
        const last = { settings: base, sent: base };
        lines.push(`--- file: ${mine}; job: ${yours}`);
        for (const known of [undefined, last]) {
          const { action, changes: all, moved, lost, mayDifferInSecrets } = planDeploy(file, job, known);
          const at = (found: readonly { path: string }[]): string => found.map(({ path }) => path).join() || 'none';
          lines.push(`${action}, moved ${at(moved)}, lost ${at(lost)}${mayDifferInSecrets ? ', or in secrets' : ''}`);
          for (const { kind, path, scope, file: own, job: other, fallback, unknown } of known ? all : [])
            lines.push(`  ${kind} ${json([path, scope, own, other, fallback, unknown])}`);
        }
        lines.push(`merged ${delta(mergeTheirs(file, job, last))}`, `taken ${delta(takeTheirs(file, job, last))}`);
        lines.push(`kept ${delta(settingsAfter(file, job, base, last))}`);
        lines.push(
          `rewritten ${rewritten(file, job, last)
            .map(({ path }) => path)
            .join()}`,
        );
      }
    assertApproved('job-file-plans', `${lines.join('\n')}\n`);
  });

  it('are pulled as approved', () => {
    const text = texts['with comments and gaps'] ?? '';
    const base = read(text);
    const lines = Object.entries(changes).flatMap(([what, change]) =>
      [undefined, { settings: base, sent: base }].map(
        (last) => `--- ${what}\n${json(planPull(text, change(base), last))}`,
      ),
    );
    assertApproved('job-file-pulls', `${lines.join('\n')}\n`);
  });
});
