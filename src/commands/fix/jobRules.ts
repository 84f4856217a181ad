import { l10n } from '../../shared/l10n.ts';
import { knownModules, knownPackages, packageOf } from '../../shared/pythonPackages.ts';
import { findQuartzProblem } from '../../shared/quartz/quartz.ts';
import { similarNames } from '../../shared/similarNames.ts';
import { loadJobFileService } from '../loadJobFileService.ts';
import { isMeant } from '../replay/place.ts';
import { codePathOf, type FailedRun, proposal, type Proposal, type Rule, withOnce } from './failedRun.ts';
import { nearestFiles, uncertainPath } from './nearestFile.ts';

/** Fixes mistakes in the job file itself, including cron expressions, with the editor's first quick fix. */
export const jobFileRule: Rule = async ({ jobFile }) => {
  if (!jobFile) return undefined;
  const { file } = jobFile;
  const service = await loadJobFileService();
  const { problems, document } = service.parse(file.text);
  const errors = problems.filter(({ severity }) => severity === 'error');
  for (const problem of errors) {
    if (problem.code === 'cron') {
      const text = file.text.replace(
        /(?<=quartz_cron_expression["']?:[ \t]{1,20}["']?)[^"'#\s][^"'#\n]{0,200}/,
        (written) => written.replace(written.trimEnd(), (expression) => mendCron(expression) ?? expression),
      );
      const made = proposal(file, text, problem.message);
      if (made) return made;
    }
    const fix = service.quickFixes(problem, document).find(({ isPreferred }) => isPreferred);
    if (!fix) continue;
    let text = file.text;
    for (const change of fix.changes.toSorted((one, other) => other.start - one.start))
      text = text.slice(0, change.start) + change.text + text.slice(change.end);
    return proposal(file, text, `${fix.title}. ${problem.message}`);
  }
  return errors[0]?.message;
};

const noModule = /(?:ModuleNotFoundError|ImportError): No module named '?([\w.]{1,200})'?/;

/** Fixes a missing module: a mistyped name, or a package missing from the job's libraries. */
export const libraryRule: Rule = async (failure) => {
  const module = noModule.exec(failure.error)?.[1]?.split('.')[0];
  if (module === undefined) return installRule(failure);
  const { files, jobFile, steps } = failure;
  const own = files.find((file) => new RegExp(`(?:^|/)${module}(?:\\.py|/__init__\\.py)$`).test(file));
  if (own !== undefined)
    return l10n.t("{0} is a workspace file that Python does not find from the task's folder.", own);
  const isKnown = knownPackages.includes(module);
  const [meant] = isKnown ? [] : similarNames(module, [...knownModules, ...knownPackages], 1);
  const [step] = steps;
  if (meant !== undefined && step) {
    const text = step.file.text.replace(new RegExp(`\\b${module}\\b`, 'g'), meant);
    return proposal(step.file, text, l10n.t('Change {0} to {1}.', module, meant));
  }
  const name = packageOf(module);
  if (!jobFile?.settings)
    return l10n.t('Python has no module {0}, and no job file in this workspace has the settings of the run.', module);
  const { libraries = [] } = jobFile.settings;
  const isListed = libraries.some(({ pypi }) => isPackage(pypi?.package, name));
  if (isListed) return l10n.t("The job's libraries already include {0}.", name);
  const { withSettings } = await loadJobFileService();
  const settings = { ...jobFile.settings, libraries: [...libraries, { pypi: { package: name } }] };
  const what = isKnown
    ? l10n.t('Add the package {0} to the libraries of the job.', name)
    : l10n.t('Add the PyPI package {0} to the libraries of the job. Check that this is the package you need.', name);
  return proposal(jobFile.file, withSettings(jobFile.file.text, settings), what);
};

/** Returns whether a requirement, possibly with a version and extras, names this package. */
function isPackage(requirement: string | undefined, name: string): boolean {
  return /^[\w.-]*/.exec(requirement ?? '')?.[0].toLowerCase() === name.toLowerCase();
}

/** Fixes a library whose name or version pip did not find. */
function installRule({ text, jobFile, request }: FailedRun): Proposal | string | undefined {
  const equals = (request.libraries ?? [])
    .map(({ pypi }) => pypi?.package)
    .find((each) => /[^=]=[^=]/.test(each ?? ''));
  if (jobFile && equals !== undefined && text.includes('= is not a valid operator')) {
    const meant = equals.replace('=', '==');
    return proposal(
      jobFile.file,
      withOnce(jobFile.file.text, equals, meant),
      l10n.t('Change {0} to {1}.', equals, meant),
    );
  }
  const wanted = /No matching distribution found for ([\w.-]{0,99}\w)/.exec(text);
  if (!wanted || !jobFile) return undefined;
  const name = wanted[1] ?? '';
  const listed =
    (request.libraries ?? []).map(({ pypi }) => pypi?.package).find((each) => isPackage(each, name)) ?? name;
  const [meant] = similarNames(name, knownPackages.map(packageOf), 1);
  const better = meant === undefined || meant === name ? name : meant;
  if (better === listed) return l10n.t('pip found no {0} for this Python.', listed);
  return proposal(
    jobFile.file,
    withOnce(jobFile.file.text, listed, better),
    l10n.t('Change {0} to {1}.', listed, better),
  );
}

/** Fixes the path of a missing Python file or notebook in the job. */
export const codePathRule: Rule = ({ error, text, request, files, jobFile }) => {
  const path = codePathOf(request);
  const isMissing = /^(?:Python file|Notebook) .{1,500} was not found/m.test(`${error}\n${text}`);
  const isNotebook = request.notebook_task !== undefined;
  // A notebook's path has no extension.
  const isThere = files.some((file) => path === `/${file}` || (isNotebook && isMeant(path ?? '', `/${file}`)));
  if (path === undefined || !isMissing || isThere) return undefined;
  const near = nearestFiles(
    path.slice(1),
    files.filter((file) => (isNotebook ? /\.(?:py|ipynb|sql|scala|r|R)$/ : /\.py$/).test(file)),
  );
  const [found] = near;
  if (found === undefined || near.length > 1) return uncertainPath(path, near);
  if (!jobFile)
    return l10n.t(
      '{0} does not exist. {1} has a similar name, but no job file in this workspace has the settings of the run.',
      path,
      `/${found}`,
    );
  const meant = `/${isNotebook && !/\.\w{1,6}$/.test(path) ? found.replace(/\.\w+$/, '') : found}`;
  return proposal(jobFile.file, withOnce(jobFile.file.text, path, meant), l10n.t('Change {0} to {1}.', path, meant));
};

/** Fixes job parameters whose names the program does not know, and numbers that are not written as numbers. */
export const parameterRule: Rule = (failure) => {
  const { error, text, request } = failure;
  const given = request.spark_python_task?.parameters ?? [];
  const options = [...new Set(text.match(/(?<![\w-])--[\w-]{1,60}/g))];
  const unknown = /error: unrecognized arguments: (.{1,500})/.exec(text)?.[1]?.split(' ') ?? [];
  const required = /error: the following arguments are required: (.{1,500})/.exec(text)?.[1]?.split(/[,/] ?/) ?? [];
  const isUsage = unknown.length > 0 || required.length > 0;
  for (const wrong of isUsage
    ? given.map((each) => each.split('=')[0] ?? '').filter((each) => /^-(?:-|[a-z]\w)/i.test(each))
    : []) {
    const usage = options.filter(
      (option) => option !== wrong && (unknown.length === 0 || !unknown.some((each) => each.startsWith(option))),
    );
    const [meant] =
      usage.includes(wrong) || (unknown.length > 0 && !unknown.some((each) => each.startsWith(wrong)))
        ? []
        : similarNames(wrong, required.some((each) => each.startsWith('--')) ? required : usage, 1);
    if (meant !== undefined) return renamed(failure, wrong, meant);
  }
  if (required.length > 0) return l10n.t('The program needs {0}, and its value is unknown.', required.join(', '));
  const choice = /argument ([\w/-]{1,60}): invalid choice: '([^'\n]{1,200})' \(choose from (.{1,500})\)/.exec(text);
  if (choice) {
    const [meant] = similarNames(
      choice[2] ?? '',
      (choice[3] ?? '').split(', ').map((each) => each.replace(/^'|'$/g, '')),
      1,
    );
    return meant === undefined ? undefined : renamed(failure, choice[2] ?? '', meant);
  }
  const number =
    /invalid (?:int|float) value: '([^'\n]{1,50})'|(?:invalid literal for int\(\) with base 10|could not convert string to float): '([^'\n]{1,50})'/.exec(
      text,
    );
  const written = number?.[1] ?? number?.[2];
  if (written !== undefined && isGiven(failure, written)) {
    const plain = written
      .replace(/[\s,_'](?=\d{3}(?!\d))/g, '')
      .replace(/(?<=\d)\.0+$/, '')
      .trim();
    return /^-?\d+(?:\.\d+)?$/.test(plain)
      ? renamed(failure, written, plain)
      : l10n.t('The parameter {0} is not a number.', written);
  }
  const widget = /(?:No input widget named|InputWidgetNotDefined[^\n]{0,100}named) ['"]?([\w-]{1,100})/.exec(
    `${error}\n${text}`,
  )?.[1];
  if (widget === undefined) return undefined;
  const [near] = similarNames(widget, Object.keys(request.notebook_task?.base_parameters ?? {}), 1);
  return near === undefined
    ? l10n.t('The notebook reads {0}, which the job does not set, and its value is unknown.', widget)
    : renamed(failure, near, widget);
};

function isGiven({ request }: FailedRun, value: string): boolean {
  const all = [
    ...(request.spark_python_task?.parameters ?? []),
    ...Object.values(request.notebook_task?.base_parameters ?? {}),
  ];
  return all.some((each) => each === value || String(each).endsWith(`=${value}`));
}

/** Replaces a word in the job file; parameters passed only to the run are not in any file. */
function renamed({ jobFile }: FailedRun, from: string, to: string): Proposal | string | undefined {
  const text = jobFile && withOnce(jobFile.file.text, from, to);
  if (!jobFile || text === undefined)
    return l10n.t('{0} should be {1}, but does not appear exactly once in the job file.', from, to);
  return proposal(jobFile.file, text, l10n.t('Change {0} to {1}.', from, to));
}

const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

const macros: Readonly<Record<string, string>> = {
  '@hourly': '0 0 * * * ?',
  '@daily': '0 0 0 * * ?',
  '@weekly': '0 0 0 ? * SUN',
  '@monthly': '0 0 0 1 * ?',
  '@yearly': '0 0 0 1 1 ?',
};

/**
 * Returns the intended Quartz expression for a Unix expression with five fields or a Unix name, for conflicting days, or for a mistyped day
 * or month.
 */
export function mendCron(expression: string): string | undefined {
  const written = expression.trim().split(/\s+/);
  const macro = macros[expression.trim()];
  if (macro !== undefined) return macro;
  const isUnix = written.length === 5;
  const fields = isUnix ? ['0', ...written] : [...written];
  if (fields.length < 6) return undefined;
  if (fields[2] === '24') fields[2] = '0';
  fields[4] = withNames(fields[4] ?? '', months);
  // Unix counts days of the week from 0, Quartz from 1.
  const week = isUnix
    ? (fields[5] ?? '').replace(/(?<![/#])\b[0-7]\b/g, (day) => days[Number(day) % 7] ?? day)
    : (fields[5] ?? '');
  fields[5] = withNames(week, days);
  const [ofMonth, ofWeek] = [fields[3], fields[5]];
  if (ofWeek === '*' && ofMonth !== '?') fields[5] = '?';
  else if (ofMonth === '*' && ofWeek !== '?') fields[3] = '?';
  else if (ofMonth === '?' && ofWeek === '?') fields[3] = '*';
  const mended = fields.join(' ');
  return mended === expression || findQuartzProblem(mended) ? undefined : mended;
}

function withNames(field: string, names: readonly string[]): string {
  return field.replace(/[A-Za-z]{3,9}/g, (word) => {
    const name = word.slice(0, 3).toUpperCase();
    return names.includes(name) ? name : (similarNames(name, names, 1)[0] ?? word);
  });
}
