import type { Results } from './results.ts';

interface Stage {
  name: string;
  passed: number;
  failed: number;
  skipped?: number;
  /** What failed, one line each; shown again at the end, where it is found. */
  failures: readonly string[];
  /** What failed and then passed: no failure, and named all the same. */
  passedAgain?: readonly string[];
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
      const failures = results.failures.map((failure) => failure.title);
      this.#stages.push({
        name,
        passed: results.passed,
        failed: results.failed,
        skipped: results.skipped,
        failures,
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
    this.#stages.push({ name, passed, failed, failures, seconds: 0 });
  }

  crashed(name: string, error: unknown, seconds = 0): void {
    const text = error instanceof Error ? error.message : String(error);
    console.error(`${name} could not be completed: ${text}`);
    this.#stages.push({ name, passed: 0, failed: 1, failures: [text.split('\n')[0] ?? ''], seconds });
  }

  /** Prints the summary; its last line is the count of everything. */
  close(): void {
    console.log('\n== Summary');
    for (const stage of this.#stages) {
      console.log(
        `${stage.failed === 0 ? 'ok  ' : 'FAIL'} ${stage.name}: ${stage.passed} passed, ${stage.failed} ` +
          `failed${stage.skipped ? `, ${stage.skipped} skipped` : ''} (${stage.seconds.toFixed(1)} s)`,
      );
      for (const failure of stage.failures) console.log(`       ${failure}`);
      for (const title of stage.passedAgain ?? []) console.log(`       passed only when it was run again: ${title}`);
    }
    console.log(`\n${this.passed} passed, ${this.failed} failed`);
  }
}
