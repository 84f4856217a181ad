import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { LiveKind } from '../../../../src/jobfile/model/liveValues.ts';
import { hover } from '../../../../src/jobfile/services/hover.ts';
import { createJobFileService } from '../../../../src/jobfile/services/jobFileService.ts';
import { changed } from '../../../../src/jobfile/yaml/textChange.ts';
import { stringifyJson } from '../../../../src/shared/json.ts';
import { assertApproved } from '../../../support/approved.ts';
import { root } from '../../../support/paths.ts';
import { planted } from '../plantedTexts.ts';

const nowMs = Date.UTC(2026, 0, 1);
const locale = 'en-GB';
const liveValues = { list: (kind: LiveKind) => Promise.resolve([{ value: `a-${kind}`, label: `A ${kind}` }]) };
const service = createJobFileService({ locale, liveValues });
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

describe('what is told and offered in a job file', () => {
  it('is what was approved for each mistake: its words, its fixes and what they make of the text', () => {
    const told = planted.map(([, marked]) => {
      const text = marked.replace('⟦', '').replace('⟧', '');
      const document = service.read(text);
      const problems = service.validate(document, { nowMs }).flatMap((problem) => {
        const { code, severity, start, end, message } = problem;
        const fixes = service
          .quickFixes(problem, document)
          .map((fix) => `  * ${fix.title}\n${indented(difference(text, changed(text, fix.changes)))}`);
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
      const document = service.read(text);
      told.push(
        `== ${name}`,
        ...service.symbols(document).flatMap((symbol) => JSON.stringify(symbol)),
        ...service.inlayHints(document, { nowMs }).map((hint) => JSON.stringify(hint)),
        ...service.fileReferences(document).map((reference) => JSON.stringify(reference)),
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
      told.push(difference(spoiled, changed(spoiled, service.format(service.read(spoiled)))));
      const parsed = service.parse(text);
      told.push(
        stringifyJson({ ...parsed, document: undefined }),
        'settings' in parsed && parsed.settings ? service.toYaml(parsed.settings) : '',
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
        const all = await service.complete(text, offset);
        // The time zones are those of the platform.
        const items = all.slice(0, all.length > 100 ? 3 : all.length);
        const shown = items
          .map(({ label, snippet }) => (label === snippet ? label : `${label} ⇒ ${snippet}`))
          .join(' · ');
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
