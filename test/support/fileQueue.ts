import fs from 'node:fs';
import path from 'node:path';
import { runMocha, type MochaOptions } from './mocha.ts';
import { root } from './paths.ts';
import { added, type Results } from './results.ts';

/**
 * Files of tests that wait for their turn, the longest first. Whoever has time for another one takes the next: stages that leave the machine
 * idle at different moments share the files, and none is left with all the long ones at the end.
 */
export class FileQueue {
  readonly #files: string[];
  readonly #options: Omit<MochaOptions, 'files' | 'jobs'>;
  readonly #results: Results[] = [];

  constructor(options: Omit<MochaOptions, 'jobs'>) {
    const size = (file: string): number => fs.statSync(path.resolve(root, file)).size;
    this.#files = options.files
      .flatMap((file) => fs.globSync(file, { cwd: root }))
      .toSorted((a, b) => size(b) - size(a) || (a < b ? -1 : 1));
    this.#options = options;
  }

  /** Runs one file after the other until none waits. */
  async work(): Promise<void> {
    for (let file = this.#files.shift(); file !== undefined; file = this.#files.shift()) {
      const name = `${this.#options.name}-${path.basename(file, '.test.ts')}`;
      this.#results.push(await runMocha({ ...this.#options, name, files: [file] }));
    }
  }

  /** What the files have passed and failed that ran. */
  get results(): Results {
    return added(this.#results);
  }
}
