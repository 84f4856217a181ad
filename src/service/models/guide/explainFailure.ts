import { packageOf } from '../../../shared/pythonPackages.ts';
import { parseTracebacks, type PythonTraceback, type TracebackFrame } from '../../../shared/pythonTraceback.ts';
import { exampleSettings, exampleYaml } from './exampleJob.ts';
import type { GuideAnswer } from './guideReply.ts';

/** The explanation of one kind of failure. */
interface Advice {
  readonly cause: string;
  readonly remedy: string;
  /** Job settings that apply the remedy. */
  readonly settings?: Record<string, unknown>;
}

const advices: readonly (readonly [pattern: RegExp, advise: (match: RegExpExecArray) => Advice])[] = [
  [
    /\bNo module named ["'`]?([\w.]+)/,
    ([, name = '']) => {
      const [module = name] = name.split('.');
      return {
        cause: `the Python that runs the task has no module \`${module}\`.`,
        remedy: `If it comes from a package, list that under \`libraries\`; if it is your own file, put it beside the task's file.`,
        settings: { ...exampleSettings('libraries'), libraries: [{ pypi: { package: packageOf(module) } }] },
      };
    },
  ],
  [
    /FileNotFoundError: (?:(?!Error: )[^'\n])*'([^'\n]+)'/,
    ([, file = '']) => ({
      cause: `the task opened \`${file}\`, which does not exist where it runs.`,
      remedy:
        "A path of a job file such as `/jobs/etl.py` is taken from the workspace's root, but a path that " +
        'your code opens is a path of the machine. Pass it as a parameter, and give it absolutely.',
      settings: exampleSettings('spark_python_task.parameters'),
    }),
  ],
  [
    /PermissionError: (?:(?!Error: )[^'\n])*'([^'\n]+)'/,
    ([, file = '']) => ({
      cause: `the task may not read or write \`${file}\`.`,
      remedy: "Correct the file's permissions, or write to a folder that belongs to the user the service runs as.",
    }),
  ],
  [
    /(?:IndentationError|TabError|SyntaxError): (.+)/,
    ([, what = '']) => ({
      cause: `Python could not read the file: ${what}.`,
      remedy: 'Correct the line that the traceback names; nothing of the file was run.',
    }),
  ],
  [
    /(?:InputWidgetNotDefined|No input widget named)[^\n]*?(?:named )?['"]?([\w-]+)?['"]?/,
    () => ({
      cause: 'the notebook reads a widget that nobody has given a value.',
      remedy: 'Give it in `base_parameters` or with run-now, or define it with `dbutils.widgets.text` and a default.',
      settings: exampleSettings('notebook_task.base_parameters'),
    }),
  ],
  [
    /\bMemoryError\b|OutOfMemoryError|exit(?:ed)?(?: with)? (?:code|status) 137|\bSIGKILL\b|\bKilled\b/,
    () => ({
      cause: 'the task needed more memory than there was.',
      remedy:
        'Read the data in pieces, or use a larger node type; for spark-submit lower `--driver-memory` and `--executor-memory` to leave room.',
    }),
  ],
  [
    /(?:Connection(?:(?:Refused|Reset)?Error| refused)|URLError|Max retries exceeded|Name or service not known|Temporary failure in name resolution)/,
    () => ({
      cause: 'something on the network that the task needs did not answer.',
      remedy:
        'See that its address is right and reachable from where the task runs. If it fails only now and then, let the run be retried.',
      settings: { ...exampleSettings('max_retries'), min_retry_interval_millis: 60_000 },
    }),
  ],
  [
    /(?:ClassNotFoundException: |Error: Failed to load class )([\w$]+(?:\.[\w$]+)*)/,
    ([, name = '']) => ({
      cause: `the class \`${name}\` is in no JAR of the task.`,
      remedy: 'List its JAR under `libraries`, and give `main_class_name` with its package.',
      settings: exampleSettings('spark_jar_task'),
    }),
  ],
  [
    /result_state["']?\s*[:=]\s*["']?TIMED_?OUT|\bTIMEDOUT\b/,
    () => ({
      cause: 'it ran longer than `timeout_seconds` allows and was stopped.',
      remedy: 'Raise `timeout_seconds` or make the task faster; `retry_on_timeout` retries such a run.',
      settings: { ...exampleSettings('timeout_seconds'), retry_on_timeout: true },
    }),
  ],
  [
    /result_state["']?\s*[:=]\s*["']?CANCELED/,
    () => ({ cause: 'somebody cancelled it.', remedy: 'Run it again when you want; a cancelled run is not retried.' }),
  ],
  [
    /life_cycle_state["']?\s*[:=]\s*["']?SKIPPED/,
    () => ({
      cause: 'its job had as many active runs as `max_concurrent_runs` allows, so it was skipped.',
      remedy: 'Wait until the active run has ended, or raise the limit.',
      settings: { ...exampleSettings('max_concurrent_runs'), max_concurrent_runs: 2 },
    }),
  ],
  [
    /life_cycle_state["']?\s*[:=]\s*["']?INTERNAL_ERROR/,
    () => ({
      cause:
        'the service could not go on with it: it was stopped while the run was active, or the engine that the task needs is missing.',
      remedy: '`state_message` says which. Run it again; with `max_retries` that happens by itself.',
      settings: exampleSettings('max_retries'),
    }),
  ],
  [
    /\bKeyError: (.+)/,
    ([, key = '']) => ({
      cause: `a dictionary or table has no key ${key}.`,
      remedy: 'Look at what the data really holds at that line, and at the spelling of the key.',
    }),
  ],
  [
    /(?<![\w.])(?:\w+\.)*(\w*(?:Error|Exception)): (.+)/,
    ([, kind = '', message = '']) => ({
      cause: `the code raised ${kind}: ${message}.`.replace(/\.\.$/, '.'),
      remedy: 'The line that the traceback names last in your own file is where to look first.',
    }),
  ],
];

/** Matches tracebacks, the last line of a traceback, Spark's messages and run states. */
const failures = [
  /^Traceback \(most recent call last\):|^(?:[\w.]+\.)?\w*(?:Error|Exception)(?::|$)/m,
  /\bNo module named ["'`]?\w|Exception in thread "main"|Error: Failed to load class |\bInputWidgetNotDefined\b/,
  /(?:result_state|life_cycle_state)["']?\s*[:=]\s*["']?(?:FAILED|TIMED_?OUT|CANCELED|SKIPPED|INTERNAL_ERROR)/,
];

/** Explains the failure whose traceback or run is in the question. Returns `undefined` if there is none. */
export function explainFailure(question: string): GuideAnswer | undefined {
  const text = unescaped(question);
  const failing = failingTraceback(text);
  if (failing?.error === undefined && !failures.some((one) => one.test(text))) return undefined;
  // Prefer the final error: exceptions that were handled earlier did not cause the failure.
  const advice = (failing?.error === undefined ? undefined : firstAdvice(failing.error)) ?? firstAdvice(text);
  if (!advice) return undefined;
  const place = failing ? ownFrame(failing) : javaFrame(text);
  const where = place ? ` It happened in \`${place.file}\`, line ${place.line}.` : '';
  const parts = [`**Why it failed:** ${advice.cause}${where}`, `**What to do:** ${advice.remedy}`];
  const example = advice.settings && exampleYaml(advice.settings);
  if (example) parts.push(`For example:\n\n${fenced(example, 'yaml')}`);
  return {
    found: true,
    confidence: 1,
    markdown: parts.join('\n\n'),
    summary: `${advice.cause} ${advice.remedy}`.replaceAll('`', ''),
    facts: { cause: advice.cause, remedy: advice.remedy, file: place?.file, line: place?.line, example },
  };
}

/** Unescapes line breaks and quotes of a traceback inside JSON, such as the output of jobs/runs/get-output. */
function unescaped(text: string): string {
  return /most recent call last\):?\\n/.test(text)
    ? text.replaceAll('\\r\\n', '\n').replaceAll('\\n', '\n').replaceAll('\\"', '"')
    : text;
}

function firstAdvice(text: string): Advice | undefined {
  for (const [pattern, advise] of advices) {
    const match = pattern.exec(text);
    if (match) return advise(match);
  }
  return undefined;
}

/** Returns the traceback that ended the task: the one that matches the text's error, otherwise the last that was not just logged. */
function failingTraceback(text: string): PythonTraceback | undefined {
  const all = parseTracebacks(text);
  const told = /^[ \t]*"?error"?[ \t]*:[ \t]*"?([A-Za-z_][\w.]*(?:: .*|))/im.exec(text)?.[1]?.replace(/",?\s*$/, '');
  const named =
    told === undefined
      ? []
      : all.filter(({ error }) => error !== undefined && (error === told || error.endsWith(`.${told}`)));
  return (
    named.at(-1) ??
    all.findLast((each) => !each.isAside && each.error !== undefined) ??
    all.findLast((each) => !each.isAside) ??
    all.at(-1)
  );
}

const library =
  /site-packages|dist-packages|\/lib\/python|[\\/]lib[\\/](?:importlib|json|asyncio|concurrent)[\\/]|^<(?!cell |ipython-input|command)/i;

/** Returns the last frame in the user's own file or cell, neither in a library nor in text passed to \`exec\`. */
function ownFrame({ frames }: PythonTraceback): TracebackFrame | undefined {
  return (
    frames.findLast(({ file, line }) => line > 0 && !library.test(file)) ?? frames.findLast(({ line }) => line > 0)
  );
}

/** Returns the first frame in the user's own class after a Java or Scala program crashed. */
function javaFrame(text: string): TracebackFrame | undefined {
  const start = text.lastIndexOf('Exception in thread "main"');
  if (start < 0) return undefined;
  for (const [, name = '', file = '', line = ''] of text
    .slice(start)
    .matchAll(/^[ \t]+at ([\w.$/]+)\(([\w$-]+\.(?:java|scala|kt)):(\d+)\)/gm)) {
    if (!/^(?:java|javax|jdk|scala|sun|org\.apache)[./]/.test(name)) return { file, line: Number(line) };
  }
  return undefined;
}

/** Wraps a text in a fence that is longer than any fence in the text. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}
