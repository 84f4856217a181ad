import fs from 'node:fs';
import path from 'node:path';
import { out } from './paths.ts';
import { checked, type FailedTest, type Results } from './results.ts';

interface Stage extends Results {
  readonly name: string;
  readonly seconds: number;
}

/** Adds up what the stages of a run passed and failed. A stage that crashes counts as one failure. */
export class Report {
  readonly #stages: Stage[] = [];

  get failed(): number {
    return this.#stages.reduce((sum, stage) => sum + stage.failed, 0);
  }

  /** Runs one stage under its heading and adds its results. */
  async stage(name: string, action: () => Promise<Results>): Promise<void> {
    console.log(`\n== ${name}`);
    const startedAt = Date.now();
    const seconds = (): number => (Date.now() - startedAt) / 1000;
    try {
      const stage = { ...(await action()), name, seconds: seconds() };
      this.#stages.push(stage);
      console.log(countsOf(stage));
    } catch (error) {
      this.crashed(name, error, seconds());
    }
  }

  add(name: string, problems: readonly string[]): void {
    this.#stages.push({ ...checked(problems), name, seconds: 0 });
  }

  /** Adds the stages of a run elsewhere, which `close` wrote there. A run that wrote none has crashed. */
  addFrom(file: string, place: string): void {
    if (!fs.existsSync(file)) return this.crashed(place, new Error('npm test did not reach its summary there'));
    for (const stage of JSON.parse(fs.readFileSync(file, 'utf8')) as Stage[])
      this.#stages.push({ ...stage, name: `${place}: ${stage.name}` });
  }

  crashed(name: string, error: unknown, seconds = 0): void {
    const text = error instanceof Error ? error.message : String(error);
    console.error(`${name} could not be completed: ${text}`);
    this.#stages.push({ ...checked([text.split('\n')[0] ?? '']), name, seconds });
  }

  /** Prints the summary, whose last line is the count of everything, and writes it to out/summary.json. */
  close(): void {
    fs.mkdirSync(out, { recursive: true });
    fs.writeFileSync(path.join(out, 'summary.json'), JSON.stringify(this.#stages));
    console.log('\n== Summary');
    for (const stage of this.#stages) {
      console.log(`${stage.failed === 0 ? 'ok  ' : 'FAIL'} ${countsOf(stage)}`);
      for (const failure of stage.failures) console.log(inSummary(failure));
    }
    const passed = this.#stages.reduce((sum, stage) => sum + stage.passed, 0);
    console.log(`\n${passed} passed, ${this.failed} failed`);
  }
}

function countsOf({ name, passed, failed, skipped, seconds }: Stage): string {
  return `${name}: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''} (${seconds.toFixed(1)} s)`;
}

/** A failure's title and the first words of its error: often the end of a log is all that is kept of it. */
function inSummary({ title, error }: FailedTest): string {
  const why = error
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('at '))
    .join(' ')
    .slice(0, 300);
  return `       ${title}${why === '' || why === title ? '' : `\n         ${why}`}`;
}
