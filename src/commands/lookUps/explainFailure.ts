import { fenceFor } from '../../chat/chatRequest.ts';
import { readTrace } from '../../runs/output/failingPlace.ts';
import { l10n } from '../../shared/l10n.ts';
import { packageOf } from '../../shared/pythonPackages.ts';
import { parseTracebacks, textLines } from '../../shared/pythonTraceback.ts';

/** An error whose cause its own words prove. */
interface KnownError {
  readonly cause: string;
  readonly remedy?: string;
}

const knownErrors: readonly (readonly [error: RegExp, explain: (part: string) => KnownError])[] = [
  [
    /\bNo module named ["'`]?(\w+)/,
    (module) => ({
      cause: l10n.t('The Python that ran the task has no module `{0}`.', module),
      remedy: l10n.t(
        'If it comes from PyPI, list the package `{0}` under `libraries`. If it is your own file, put it beside the file of the task.',
        packageOf(module),
      ),
    }),
  ],
  [
    /^FileNotFoundError: .*'([^']+)'/,
    (file) => ({
      cause: l10n.t('The task opened `{0}`, which did not exist where it ran.', file),
      remedy: l10n.t('Pass the path as a parameter, and make it absolute.'),
    }),
  ],
  [
    /^PermissionError: .*'([^']+)'/,
    (file) => ({ cause: l10n.t('The user that ran the task was not allowed to access `{0}`.', file) }),
  ],
  [/^(?:IndentationError|TabError|SyntaxError): (.+)/, () => ({ cause: l10n.t('Python could not parse the code.') })],
  [/^KeyError: (.+)/, (key) => ({ cause: l10n.t('There is no entry for the key {0}.', key) })],
  [
    /\bNo input widget named ["'`]?([\w-]+)|\bInputWidgetNotDefined\b/,
    () => ({
      cause: l10n.t('The notebook read a parameter that has no value.'),
      remedy: l10n.t('Set it in `base_parameters`, pass it to the run, or give it a default in the notebook.'),
    }),
  ],
  [
    /\b(?:MemoryError|OutOfMemoryError)\b()/,
    () => ({ cause: l10n.t('The task needed more memory than it could get.') }),
  ],
  [
    /^(?:[\w./-]+: line \d+: +\d+ +|zsh: )?[Kk]illed\b()/,
    () => ({ cause: l10n.t('The system or somebody killed the program; most often, the memory ran out.') }),
  ],
  [
    /^(?:[\w./-]+: line \d+: +\d+ +)?Segmentation fault()/,
    () => ({ cause: l10n.t('The program crashed in native code.') }),
  ],
  [
    /\bNo matching distribution found for (\S+)/,
    (requirement) => ({
      cause: l10n.t('pip found no version of `{0}` for this Python.', requirement),
      remedy: l10n.t('Check the name and the version, or use another Python.'),
    }),
  ],
  [
    /\b(?:ConnectionRefusedError|ConnectionResetError|ConnectException|Max retries exceeded)\b()/,
    () => ({
      cause: l10n.t('A network connection failed.'),
      remedy: l10n.t('Check its address. For a passing failure, set `max_retries`.'),
    }),
  ],
  [
    /(?:ClassNotFoundException: |Failed to load class )([\w$.]*\w)/,
    (name) => ({
      cause: l10n.t('No JAR of the task contains the class `{0}`.', name),
      remedy: l10n.t('Add its JAR to `libraries`, and write `main_class_name` with its package.'),
    }),
  ],
];

/** Text that reports a failure: a traceback, the last line of one, the crash of a program, or what tools and databases report. */
const failing = [
  /^(?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt|Exit)(?::|$)/m,
  /^Exception in thread "|^Caused by: |\bFailed to load class |^(?:\w+ )?Error\b[^?\n]*: |^\w+ Error in /m,
  /^[\w./-]+: line \d+: /m,
  /^(?:ERROR|FATAL|fatal|panic): |^thread '.*' panicked at |^\[[A-Z\d.]+_[A-Z\d_.]+\] \S/m,
  /^(?:Killed|Segmentation fault|Bus error|Aborted)(?: \(core dumped\))?$|^zsh: killed |: command not found$/m,
];

/** An error within a sentence, up to the quotation mark that ends it: I get "ValueError: no day". */
const quoted = /\b[A-Z]\w*(?:Error|Exception): \S.*?(?=["“”`]|$)/m;

/** Returns whether a text reports a failure. */
export function isFailure(text: string): boolean {
  // How do I handle a TimeoutError: retry or fail?
  const isQuestion = /^[^\n]*\?\s*$/.test(text.trim());
  return (
    parseTracebacks(text).length > 0 || (!isQuestion && [...failing, quoted].some((pattern) => pattern.test(text)))
  );
}

/**
 * Explains a failure from its own words: quotes the error, names the place in the user's code, and adds the cause if the error proves it.
 * @param text a traceback, or the output of a failed task
 * @param told the error as the service reports it
 * @returns Markdown, or `undefined` if the text is empty
 */
export function explainFailure(text: string, told?: string): string | undefined {
  const plain = unescaped(text);
  const trace = readTrace(plain, told ?? reportedError(plain));
  const error = told ?? trace?.error ?? errorLine(plain);
  if (error === undefined) return undefined;
  // A traceback of another error was only printed.
  const isOther = told !== undefined && trace?.error !== undefined && !told.includes(trace.error.split('\n')[0] ?? '');
  const steps = isOther ? [] : (trace?.steps ?? []);
  const place = steps.find(({ file }) => !library.test(file)) ?? steps[0];
  const known = knownErrors.flatMap(([pattern, explain]) => {
    const match = pattern.exec(error);
    return match ? [explain(match[1] ?? '')] : [];
  })[0];
  const earlier = isOther ? undefined : parseTracebacks(plain).findLast(({ leadsOn }) => leadsOn)?.error;
  const before = earlier && l10n.t('An earlier error led to it: `{0}`.', earlier.replaceAll('`', "'"));
  const where = place && l10n.t('It happened in `{0}`, line {1}.', place.file, place.line);
  const fence = fenceFor(error);
  return [
    `${fence}text\n${error}\n${fence}`,
    [known?.cause, before, where].filter(Boolean).join(' '),
    known?.remedy === undefined ? '' : l10n.t('**What to do:** {0}', known.remedy),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Unescapes a traceback inside JSON, such as the response of jobs/runs/get-output. */
function unescaped(text: string): string {
  return /most recent call last\):?\\n/.test(text)
    ? text.replaceAll('\\r\\n', '\n').replaceAll('\\n', '\n').replaceAll('\\"', '"')
    : text;
}

/** Returns the error that a response of jobs/runs/get-output names beside its logs. */
function reportedError(text: string): string | undefined {
  return /^[ \t]*"?error"?[ \t]*:[ \t]*"?([A-Za-z_][\w.]*(?:: .*|))/im.exec(text)?.[1]?.replace(/",?\s*$/, '');
}

/** Returns the last line that names an error: the root cause of a Java program, otherwise the last line of the text. */
function errorLine(text: string): string | undefined {
  const lines = textLines(text).filter((line) => line.trim() !== '' && !line.startsWith('```'));
  const shown = lines.map((line) => line.trim());
  const index = shown.findLastIndex((line) => failing.some((pattern) => pattern.test(line)));
  const [line = '', next = ''] = index < 0 ? [] : lines.slice(index);
  // Some programs write the reason below.
  const isOpen = line.endsWith(':') || (/^\s{2}/.test(next) && !/^\s*(?:at |File |\|)/.test(next));
  return (
    shown.findLast((each) => each.startsWith('Caused by: ')) ??
    (index < 0 ? quoted.exec(text)?.[0] : `${line.trim()}${isOpen ? `\n${next.trim()}` : ''}`) ??
    shown.at(-1)
  );
}

/** Matches files of the languages' own libraries and of packages. */
const library = /site-packages|dist-packages|[\\/]lib[\\/]python|^<frozen |^(?:org\/apache|java|jdk|scala|sun)\//;
