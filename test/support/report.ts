import type { FailedTest, Results } from './results.ts';

interface Stage {
  name: string;
  passed: number;
  failed: number;
  skipped?: number;
  /** What failed, shown again at the end, where it is found. */
  failures: readonly FailedTest[];
  /** What failed and then passed: no failure, and named all the same. */
  passedAgain?: readonly FailedTest[];
  seconds: number;
}

/** Adds up what the stages of a run passed and failed. A stage that crashes counts as one failure. */
export class Report {
  readonly #stages: Stage[] = [];
  /**
   * Whether tests that drive windows and processes get a second chance after a few failures. For the runs of everything, in which one
   * slow moment of a shared machine would hide what the other thousands of tests say; whoever runs one stage wants each failure.
   */
  runsAgain = false;

  get passed(): number {
    return this.#stages.reduce((sum, stage) => sum + stage.passed, 0);
  }

  get failed(): number {
    return this.#stages.reduce((sum, stage) => sum + stage.failed, 0);
  }

  /** Runs one stage under its heading and adds its results. */
  async stage(name: string, action: () => Promise<Results>): Promise<boolean> {
    console.log(`\n== ${name}`);
    const startedAt = Date.now();
    try {
      const results = await action();
      const seconds = (Date.now() - startedAt) / 1000;
      this.#stages.push({
        name,
        passed: results.passed,
        failed: results.failed,
        skipped: results.skipped,
        failures: results.failures,
        passedAgain: results.passedAgain,
        seconds,
      });
      console.log(
        `${name}: ${results.passed} passed, ${results.failed} failed${results.skipped > 0 ? `, ${results.skipped} skipped` : ''} (${seconds.toFixed(1)} s)`,
      );
      return results.failed === 0;
    } catch (error) {
      this.crashed(name, error, (Date.now() - startedAt) / 1000);
      return false;
    }
  }

  add(name: string, passed: number, failed: number, failures: readonly string[] = []): void {
    this.#stages.push({ name, passed, failed, failures: failures.map((title) => ({ title, error: '' })), seconds: 0 });
  }

  crashed(name: string, error: unknown, seconds = 0): void {
    const text = error instanceof Error ? error.message : String(error);
    console.error(`${name} could not be completed: ${text}`);
    this.#stages.push({
      name,
      passed: 0,
      failed: 1,
      failures: [{ title: text.split('\n')[0] ?? '', error: '' }],
      seconds,
    });
  }

  /** Prints the summary; its last line is the count of everything. */
  close(): void {
    console.log('\n== Summary');
    for (const stage of this.#stages) {
      console.log(
        `${stage.failed === 0 ? 'ok  ' : 'FAIL'} ${stage.name}: ${stage.passed} passed, ${stage.failed} ` +
          `failed${stage.skipped ? `, ${stage.skipped} skipped` : ''} (${stage.seconds.toFixed(1)} s)`,
      );
      for (const failure of stage.failures) console.log(inSummary(failure));
      for (const failure of stage.passedAgain ?? [])
        console.log(`       passed only when it was run again: ${inSummary(failure).trimStart()}`);
    }
    console.log(`\n${this.passed} passed, ${this.failed} failed`);
  }
}

/** A failure's title, and the first words of why: often all that is kept of a run is its end. */
function inSummary({ title, error }: FailedTest): string {
  const why = error
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('at '))
    .join(' ')
    .slice(0, 300);
  return `       ${title}${why === '' || why === title ? '' : `\n         ${why}`}`;
}
