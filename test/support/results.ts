import fs from 'node:fs';

/** What `resultsReporter.cjs` writes. */
export interface Results {
  passed: number;
  failed: number;
  skipped: number;
  failures: { title: string; error: string }[];
  lines: string[];
}

/** Reads the results of a mocha run; one that wrote none has crashed, which counts as one failure. */
export function readResults(file: string, crash: string): Results {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Results;
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failures: [{ title: crash, error: crash }], lines: [crash] };
  }
}
