import fs from 'node:fs';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface FailedTest {
  title: string;
  error: string;
  file?: string;
}

/** What `resultsReporter.cjs` writes. */
export interface Results extends Counts {
  failures: FailedTest[];
  lines: string[];
  /** The counts of each file of tests. */
  files?: Record<string, Counts>;
  /** Tests that failed and then passed when their files were run again, as they failed. */
  passedAgain?: FailedTest[];
}

/** More failures than this are no accident of a busy machine, and are not looked at twice. */
const maxToRunAgain = 12;

/** The files to run again after a few failures; undefined if nothing failed, or too much, or something that is in no file. */
export function filesToRunAgain({ failures, failed }: Results): string[] | undefined {
  if (failed === 0 || failures.length > maxToRunAgain) return undefined;
  const files = new Set<string>();
  for (const { file } of failures) {
    if (file === undefined) return undefined;
    files.add(file);
  }
  return [...files];
}

/** The first run's results with the counts of the files that ran again put in place of what they were. */
export function withSecondRun(first: Results, second: Results): Results {
  const counts: Counts = { passed: first.passed, failed: first.failed, skipped: first.skipped };
  for (const file of new Set(first.failures.map((failure) => failure.file ?? ''))) {
    const before = first.files?.[file];
    if (before === undefined) continue;
    counts.passed -= before.passed;
    counts.failed -= before.failed;
    counts.skipped -= before.skipped;
  }
  const stillFailing = new Set(second.failures.map((failure) => failure.title));
  return {
    passed: counts.passed + second.passed,
    failed: counts.failed + second.failed,
    skipped: counts.skipped + second.skipped,
    failures: second.failures,
    lines: [...first.lines, ...second.lines],
    files: { ...first.files, ...second.files },
    passedAgain: [...(first.passedAgain ?? []), ...first.failures.filter(({ title }) => !stillFailing.has(title))],
  };
}

/** The results of several runs as those of one. */
export function added(all: readonly Results[]): Results {
  const sum = (count: (one: Results) => number): number => all.reduce((total, one) => total + count(one), 0);
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
    failures: all.flatMap(({ failures }) => failures),
    lines: all.flatMap(({ lines }) => lines),
    files: Object.assign({}, ...all.map(({ files }) => files)) as Record<string, Counts>,
  };
}

/** Reads the results of a mocha run; one that wrote none has crashed, which counts as one failure. */
export function readResults(file: string, crash: string): Results {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Results;
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failures: [{ title: crash, error: crash }], lines: [crash] };
  }
}
