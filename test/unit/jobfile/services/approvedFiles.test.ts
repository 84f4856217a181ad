import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { LiveKind } from '../../../../src/jobfile/model/liveValues.ts';
import { complete } from '../../../../src/jobfile/services/complete.ts';
import { format } from '../../../../src/jobfile/services/format.ts';
import { hover } from '../../../../src/jobfile/services/hover.ts';
import { inlayHints } from '../../../../src/jobfile/services/inlayHints.ts';
import { parseJobFile } from '../../../../src/jobfile/services/parseJobFile.ts';
import { quickFixes } from '../../../../src/jobfile/services/quickFixes.ts';
import { symbols } from '../../../../src/jobfile/services/symbols.ts';
import { toYaml } from '../../../../src/jobfile/services/toYaml.ts';
import { validate } from '../../../../src/jobfile/services/validate.ts';
import { fileReferences } from '../../../../src/jobfile/services/workspaceFiles.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import { changed } from '../../../../src/jobfile/yaml/textChange.ts';
import { stringifyJson } from '../../../../src/shared/json.ts';
import { assertApproved } from '../../../support/approved.ts';
import { root } from '../../../support/paths.ts';
import { laidOut } from '../layoutTexts.ts';
import { planted } from '../plantedTexts.ts';

const nowMs = Date.UTC(2026, 0, 1);
const locale = 'en-GB';
const liveValues = { list: (kind: LiveKind) => Promise.resolve([{ value: `a-${kind}`, label: `A ${kind}` }]) };
const file = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const real = [
  'media/sample/simulation.job.yml',
  'media/sample/daily-report.job.yml',
  'test/fixtures/jobfiles/anchors.job.yml',
  'test/fixtures/jobfiles/notifications.job.yml',
  'test/fixtures/jobfiles/spark-submit.job.yml',
  'test/fixtures/jobfiles/multi-task.job.yml',
];

/** Texts as they are while somebody types, in which each place offers something else. */
const typed: Record<string, string> = {
  'an empty file': '',
  'quoted keys and values':
    '"name": \'a\'\n\'schedule\': {"timezone_id": "Eu", \'pause_status\': \'\'}\n"new_cluster":\n  "spark_conf": {}\n',
  'flow with comments and escapes':
    "new_cluster: { # first {\n  spark_version: \"a\\\", x\", # [\n  aws_attributes: {zone_id: , av: }, 'a''b': [ , ],\n  \n}\nname: \n",
  'flow below a list':
    'libraries: [{jar: a}, {maven: {coordinates: a:b:1, ex}}, ]\nlibraries:\n- {p}\n-   {cran: {}}\n- [a\n',
  'as jobs/get returns it': 'job_id: 5\nsettings:\n  name: a\n  sched\n  notebook_task:\n    note\n',
  'behind what is there': 'schedule:   \n    timezone_id:   UTC   \n  \n    pause_status: PAUSED\nname: a\n  \nmax_\n',
  aliases: 'x: &a {num_workers: 1}\nnew_cluster:\n  <<: *a\n  n\nlibraries: *\n',
  flow: 'new_cluster: {spark_version: "15", autoscale: {min_workers: 1, max}, spark_conf: {a: b, }, \nlibraries: [{pypi: {package: x}}, {jar: a}, ]\n',
  'flow over lines':
    'schedule: {\n  quartz_cron_expression: "0 0 6 * * ?", # daily\n  pause_status: \n}\nlibraries: [\n  {whl: ,\n]\n',
  'flow that is not closed': 'email_notifications: {on_failure: [a@b.example, \nname: x\n',
  lists:
    'libraries:\n  - pypi:\n      package: x\n  - \n  -\n    maven:\n      \nhealth:\n  rules:\n    - metric: \n      op\n',
  'a new cluster':
    'new_cluster:\n  num_workers: 2\n  \n  spark_\n\nnotebook_task:\n  notebook_path: \n  base_parameters:\n    a: 1\n    \n',
  'values of fields':
    'max_retries: \nretry_on_timeout: \nexisting_cluster_id: \nrun_job_task:\n  job_id: \nspark_python_task:\n  python_file: /\n',
  'texts and comments':
    "name: \"a 'b' # no\"\n# name: \nschedule:\n  timezone_id: 'Europe/'\n  quartz_cron_expression: \ndescription: |\n  name: \n",
};

const python = 'spark_python_task:\n  python_file: /a.py\nexisting_cluster_id: c\n';
const cluster = (more: string): string =>
  `spark_python_task: {python_file: /a.py}\nnew_cluster:\n  spark_version: "15"\n  node_type_id: n\n  num_workers: 1\n${more}`;
const scheduled = (expression: string, zone = 'UTC', more = ''): string =>
  `schedule:\n  quartz_cron_expression: ${expression}\n  timezone_id: ${zone}\n${more}${python}`;

/** Texts with mistakes that stand close to each other, or at a bound. */
const mistaken: readonly string[] = [
  '',
  '\n# only\n',
  'just a text\n',
  '- a\n- b\n',
  'settings:\n  name: a\n  max_retrys: 1\njob-id: 5\n',
  'settings:\n  name: a\njob_id: x\n',
  `job_id: 5\nx-own: {a: 1}\n${python}`,
  `job_id: 99999999999999999999\n${python}`,
  `name: ${'n'.repeat(4097)}\n${python}`,
  `name:\n${python}`,
  `name: 5\n${python}`,
  `name: null\n${python}`,
  `name: [a]\n${python}`,
  `name: {a: b}\n${python}`,
  `name: |\n  a\n  b\n${python}`,
  ...['-2', '-1', '0', '1', '2147483647', '2147483648', '1.5', '"3"', '" 4 "', '1e3', '0x10', 'yes', 'two'].map(
    (value) => `max_retries: ${value}\n${python}`,
  ),
  ...['0', '1', '1000', '1001'].map((value) => `max_concurrent_runs: ${value}\n${python}`),
  ...['yes', 'No', 'TRUE', '"true"', '1', 'maybe'].map((value) => `retry_on_timeout: ${value}\n${python}`),
  ...['PAUSE', 'paused', 'x', '5', '[PAUSED]'].map((value) =>
    scheduled('0 0 8 * * ?', 'UTC', `  pause_status: ${value}\n`),
  ),
  ...[
    '0 0 8 * * *',
    '0 0 8 ? * 9',
    '0 0 8 30 2 ?',
    '0 0 8 * * ? 2020',
    '0 0 8 * * ? 2026',
    '"0 0 25 * * ?"',
    "'0 61 * * * ?'",
  ].map((expression) => scheduled(expression)),
  scheduled('0 30 0 1 1 ? 2026', 'Asia/Tokyo'),
  scheduled('0 30 0 1 1 ? 2026', 'America/New_York'),
  scheduled('0 0 8 * * ?', 'Europe/Berln'),
  scheduled('0 0 8 * * ?', 'zebra'),
  scheduled('0 0 8 * * ?', '+02:00'),
  scheduled('0 0 25 * * ?', 'Europe/Berln'),
  `schedule: daily\n${python}`,
  `schedule: {}\n${python}`,
  `schedule:\n  quartz_cron_expression: 0 0 8 * * ?\n${python}`,
  ...['0', '5', '1.50', 'true', 'null', '"5"', '|\n      a', '[a]', '{a: b}', '*a'].map((value) =>
    cluster(`  spark_conf:\n    spark.x: ${value}\n`),
  ),
  cluster('  spark_env_vars: {1A: b, "ü": c, OK: "ü"}\n'),
  cluster('  autoscale: {min_workers: 3, max_workers: 2}\n'),
  cluster('  autoscale: {min_workers: 1}\n'),
  cluster('  custom_tags: [a]\n  ssh_public_keys: a\n'),
  cluster(`  ssh_public_keys: [${Array.from({ length: 11 }, (_, index) => `k${index}`).join(', ')}]\n`),
  cluster(`  custom_tags: {${Array.from({ length: 46 }, (_, index) => `t${index}: v`).join(', ')}}\n`),
  cluster(`  custom_tags:\n    ${'k'.repeat(128)}: v\n    a: ${'v'.repeat(257)}\n`),
  `new_cluster:\n  spark_version: "15"\n  num_workers: 1\n  python_file: /a.py\n  driver_instance_pool_id: p\n${python}`,
  `notebook_task: {notebook_path: a}\n${python}`,
  'notebook_task:\n  notebook_path: /n\n  base_parameters: {a: 1, b: true, c: }\nexisting_cluster_id: c\n',
  'notebook_tsk:\n  notebook_path: /n\nexisting_cluster_id: c\n',
  'spark_python_task: /a.py\nexisting_cluster_id: c\n',
  'spark_python_task: python_file:/a.py\nexisting_cluster_id: c\n',
  'spark_python_task:\n  python_file:/a.py\nexisting_cluster_id: c\n',
  'spark_python_task:\n  python_file: /a.py\n  parameters: a\nexisting_cluster_id: c\n',
  'spark_python_task:\n  python_file: /a.py\n  parameters:\n    - a\n    - \n    - [b]\n    - 5\nexisting_cluster_id: c\n',
  'spark_python_task:\n  python_file: /a.py\n  parameters: a\n    - b\nexisting_cluster_id: c\n',
  'spark_submit_task: {parameters: [--master, x, a.jar]}\nexisting_cluster_id: c\n',
  'spark_jar_task: {main_class_name: A}\nexisting_cluster_id: c\n',
  'run_job_task: {job_id: a}\n',
  'run_job_task: {job_id: -5}\n',
  'pipeline_task: {pipeline_id: p}\nnew_cluster: {num_workers: 1}\n',
  `libraries:\n  - jar: a\n    egg: b\n  - {}\n  - a\n  - pypi: {package: ""}\n  - maven: {coordinates: ""}\n  - whl: a.zip\n${python}`,
  `libraries: {jar: a}\n${python}`,
  `email_notifications:\n  on_failure: a@b.example\n  on_start: [a, ü@b.example, a@b.example]\n${python}`,
  `webhook_notifications:\n  on_failure:\n    - id: a\n    - {}\n${python}`,
  `python_file: /b.py\nmin_workers: 1\n${python}`,
  `tags: {a: b}\ngit_source: {}\ntriggers: 5\n${python}`,
  `base: &b\n  max_retries: two\n<<: *b\n${python}`,
  `x-base: &b {max_retries: 2, wrong: 1}\n<<: [*b]\n${python}`,
  `x-base: &b [1]\nlibraries: *b\n${python}`,
  `<< : 5\nname: *gone\n${python}`,
  `name: a\nname: b\nname: c\n${python}`,
  `name: a # millrace-ignore\nmax_retrys: 1 # millrace-ignore\n# millrace-ignore\nmax_retrees: 1\nmax_retriez: 1\n${python}`,
  `name: "a\n${python}`,
  `tasks:\n  - task_key: a\n    notebook_task: {notebook_path: /n}\n${python}`,
  `tasks: []\njob_clusters: []\n${python}`,
  `name: a\nschedule:\n  \ttimezone_id: UTC\n${python}`,
  `\tname: a\n${python}`,
  `name: a\n  \t \n \t# none\n${python}`,
  `libraries:\n  - jar: a\n  - jar: b\n    jar: c\n  - egg: d\n    egg: e\n${python}`,
  `new_cluster: {a: "x, b: 'y}\nlibraries:\n  - jar: [a\n  - {jar\n  - jar: b}\nname: "a\nmax_retrys: 1\n${python}`,
  `libraries:\n  - jar: a\n  - {jar: b\n  - jar: c\nmax_retrys: 1\n${python}`,
  ...['-3', '-2147483648', '-2147483649', '9223372036854775808'].map((value) => `max_retries: ${value}\n${python}`),
  cluster('  spark_conf:\n    <<: {spark.a: 1, spark.b: }\n    spark.c: 2\n'),
  `email_notifications: {on_start: &l [bad], on_success: *l, on_failure: *l}\n${python}`,
  `x-c: &c {num_workers: a, zz: 1}\nnew_cluster: *c\n${python}`,
  `x-a: &a {num_workers: 1, wrong: 2}\nnew_cluster: {<<: *a, spark_version: "15", node_type_id: n}\nnotebook_task: {<<: *a, notebook_path: /n}\n`,
  `max_retrys: 1 # millrace-ignore unknownField\nmax_retriez: 1 # millrace-ignore noTask\nmax_retree: 1 # millrace-ignore: unknownField, noTask\n${python}`,
  ...['abcdefg', 'abcdefgh', 'abc defgh', '{{secrets/a/b}}'].map((value) =>
    cluster(`  spark_env_vars: {API_KEY: "${value}"}\n`),
  ),
  `{"schedule": {}, name: a, ${"'notebook_task': {}"}}\n`,
  `{schedule: {}, "name": "a", "notebook_task": {}}\n`,
  `timeout_seconds: 0\nmin_retry_interval_millis: -1\nmax_retries: 0\n${python}`,
  `${Array.from({ length: 102 }, (_, index) => `zz${index}: 1`).join('\n')}\n${python}`.replace(/zz(\d)\b/g, 'zz0$1'),
];

describe('what is told and offered in a job file', () => {
  it('is what was approved for mistakes close to each other, and at bounds', () => {
    const told = mistaken.map((text) => {
      const document = parseDocument(text);
      const problems = validate(document, { nowMs }).map((problem) => {
        const { code, severity, start, end, message, tags, data } = problem;
        const place = JSON.stringify(text.slice(start, end).slice(0, 60));
        const more = [tags?.join(' '), data && JSON.stringify(data).slice(0, 300)].filter(Boolean).join(' ');
        const fixes = quickFixes(problem, document).map(
          ({ title, isPreferred, changes }) =>
            `\n  * ${title}${isPreferred ? ' (first)' : ''}: ${JSON.stringify(changes).slice(0, 300)}`,
        );
        return `${severity} ${code} at ${start} ${place}: ${message.slice(0, 400)} ${more}`.trimEnd() + fixes.join('');
      });
      const shown = text.length > 1500 ? `${text.slice(0, 60)}… (${text.length})` : text;
      return `== ${shown}\n${problems.slice(0, 12).join('\n')}\n${problems.length > 12 ? `… ${problems.length}\n` : ''}`;
    });
    assertApproved('job-file-more-mistakes', told.join('\n'));
  });

  it('is what was approved for its layout, by two and by four', () => {
    const told = laidOut.map((text) => {
      const made = [2, 4].map((indent) => changed(text, format(parseDocument(text), { indent })));
      return [text, ...made].map((each) => JSON.stringify(each)).join('\n');
    });
    assertApproved('job-file-layouts', `${told.join('\n\n')}\n`);
  });

  it('is what was approved for each mistake: its words, its fixes and what they make of the text', () => {
    const told = planted.map(([, marked]) => {
      const text = marked.replace('⟦', '').replace('⟧', '');
      const document = parseDocument(text);
      const problems = validate(document, { nowMs }).flatMap((problem) => {
        const { code, severity, start, end, message } = problem;
        const fixes = quickFixes(problem, document).map(
          (fix) => `  * ${fix.title}\n${indented(difference(text, changed(text, fix.changes)))}`,
        );
        return [`${severity} ${code} at ${start}-${end}: ${message}`, ...fixes];
      });
      return `${marked}\n${problems.join('\n')}\n\n`;
    });
    assertApproved('job-file-mistakes', told.join(''));
  });

  it('is what was approved for whole files: symbols, hints, hovers, layout and settings', async () => {
    const told: string[] = [];
    for (const name of real) {
      const text = file(name);
      const document = parseDocument(text);
      told.push(
        `== ${name}`,
        ...symbols(document).flatMap((symbol) => JSON.stringify(symbol)),
        ...inlayHints(document, { nowMs, locale }).map((hint) => JSON.stringify(hint)),
        ...fileReferences(document).map((reference) => JSON.stringify(reference)),
      );
      let before = '';
      for (let offset = 0; offset < text.length; offset += 1) {
        const tip = await hover(document, offset, { locale, liveValues, nowMs });
        const shown = tip ? `${tip.start}-${tip.end} ${tip.text.replaceAll('\n', ' ').slice(0, 200)}` : '';
        if (shown !== before && shown !== '') told.push(shown);
        before = shown;
      }
      const spoiled = text
        .replaceAll(/\n( +)/g, '\n$1 ')
        .replaceAll(': ', ':   ')
        .replaceAll('\n', ' \n');
      told.push(difference(spoiled, changed(spoiled, format(parseDocument(spoiled)))));
      const parsed = parseJobFile(text);
      told.push(
        stringifyJson({ ...parsed, document: undefined }),
        'settings' in parsed && parsed.settings ? toYaml(parsed.settings) : '',
      );
    }
    assertApproved('job-file-whole', `${told.join('\n')}\n`);
  });

  it('is what was approved at each place of a text that is being written', async () => {
    const told: string[] = [];
    for (const [name, text] of Object.entries(typed)) {
      told.push(`== ${name}`);
      let before = '';
      for (let offset = 0; offset <= text.length; offset += 1) {
        const all = await complete(text, offset, { liveValues });
        // The time zones are those of the platform.
        const items = all.slice(0, all.length > 100 ? 3 : all.length);
        const places = [...new Set(items.map(({ start, end, kind }) => `${start}-${end} ${kind}`))].join(', ');
        const words = items.map(({ label, snippet, detail = '' }) =>
          [label, detail && `(${detail})`, label === snippet ? '' : `⇒ ${snippet}`].filter(Boolean).join(' '),
        );
        const orders = [...new Set(items.map(({ order }) => order))];
        const shown = `${places} by ${orders.slice(0, 6).join()}…${orders.at(-1) ?? ''}: ${words.join(' · ')}`;
        if (shown !== before)
          told.push(`${JSON.stringify(`${text.slice(Math.max(0, offset - 20), offset)}‸`)} ${shown.slice(0, 1500)}`);
        before = shown;
      }
    }
    assertApproved('job-file-completions', `${told.join('\n')}\n`);
  });
});

/** Lines that are not in both, the old ones with - and the new ones with +. */
function difference(before: string, after: string): string {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  return [
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...fresh.slice(start, fresh.length - end).map((line) => `+${line}`),
  ].join('\n');
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}
