import fs from 'node:fs';

export interface FailedTest {
  title: string;
  error: string;
  file?: string;
}

/** What `resultsReporter.cjs` writes. */
export interface Results {
  passed: number;
  failed: number;
  skipped: number;
  failures: FailedTest[];
  lines: string[];
}

export const noResults: Results = { passed: 0, failed: 0, skipped: 0, failures: [], lines: [] };

/** The results of several runs as those of one. */
export function added(all: readonly Results[]): Results {
  const sum = (count: (one: Results) => number): number => all.reduce((total, one) => total + count(one), 0);
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
    failures: all.flatMap(({ failures }) => failures),
    lines: all.flatMap(({ lines }) => lines),
  };
}

/** One check: passed if it found no problems, otherwise one failure for each. */
export function checked(problems: readonly string[]): Results {
  const failures = problems.map((title) => ({ title, error: '' }));
  return { ...noResults, passed: problems.length === 0 ? 1 : 0, failed: problems.length, failures };
}

/** Says why something was skipped and counts it. */
export function skipped(reason: string): Results {
  console.log(`Skipped: ${reason}`);
  return { ...noResults, skipped: 1 };
}

/** Reads the results of a mocha run. A run that wrote none has crashed, which counts as one failure. */
export function readResults(file: string, crash: string): Results {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Results;
  } catch {
    return checked([crash]);
  }
}
