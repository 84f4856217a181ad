import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { WorkspaceClient } from '../../../src/api/client/index.ts';
import type { Ui, WorkspaceFile } from '../../../src/commands/ui.ts';
import { Bench } from '../../unit/commands/commandSetup.ts';

/** Commands on a folder of this machine: every change that is shown is agreed to, and what was shown is remembered. */
export class FolderBench extends Bench {
  readonly #root: string;
  /** What the files are to say, by what was shown. */
  readonly #shown = new Map<string, string>();

  private constructor(root: string) {
    super();
    this.#root = root;
  }

  /** Empties the folder and puts the files into it. */
  static async open(root: string, files: Readonly<Record<string, string>>): Promise<FolderBench> {
    for (const name of await readdir(root)) await rm(join(root, name), { recursive: true });
    const bench = new FolderBench(root);
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
      bench.#shown.set(path, text);
    }
    Object.assign(bench.services.ui, bench.#ui());
    return bench;
  }

  uriOf(path: string): string {
    return pathToFileURL(join(this.#root, path)).href;
  }

  textOf(path: string): Promise<string> {
    return readFile(join(this.#root, path), 'utf8');
  }

  /** A model that gives this answer to everything; undefined: the guide alone is there. */
  scripted(answer: string | undefined): WorkspaceClient['inference'] {
    return {
      listEndpoints: async () =>
        answer === undefined ? [{ name: 'guide' }] : [{ name: 'guide' }, { name: 'scripted' }],
      chat: async () => ({ choices: [{ message: { role: 'assistant', content: answer } }] }),
    } as unknown as WorkspaceClient['inference'];
  }

  /** Every file of the folder says what it said, or what was shown before it was agreed to. */
  async requireOnlyShown(): Promise<void> {
    const names = (await readdir(this.#root, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
      .map((entry) => join(entry.parentPath, entry.name).slice(this.#root.length + 1));
    assert.deepEqual(names.sort(), [...this.#shown.keys()].sort());
    for (const [path, text] of this.#shown) assert.equal(await this.textOf(path), text, path);
  }

  #ui(): Partial<Ui> {
    const file = async (path: string): Promise<WorkspaceFile> => ({
      path,
      uri: this.uriOf(path),
      name: path.slice(path.lastIndexOf('/') + 1),
      text: await this.textOf(path),
      isJobFile: path.endsWith('.job.yml'),
      isDirty: false,
    });
    const pathOf = (uri: string): string => uri.slice(pathToFileURL(this.#root).href.length + 1);
    let preview: { uri: string; text: string } | undefined;
    return {
      pick: async (_title, _placeholder, items) => items.find(({ label }) => label === 'scripted')?.value,
      info: async (message) => void this.trail.push(`info: ${message}`),
      warn: async (message) => void this.trail.push(`warn: ${message}`),
      workspaceFile: async (path = 'etl.job.yml') => file(path),
      workspaceFiles: async () => [...this.#shown.keys()],
      jobFiles: async () => [{ uri: this.uriOf('etl.job.yml'), name: 'etl.job.yml' }],
      textOf: async (uri) => this.textOf(pathOf(uri)),
      review: async (uri, text, _title, _message, [first]) => {
        preview = { uri, text };
        return first;
      },
      replaceText: async (uri, before, text) => {
        assert.equal(await this.textOf(pathOf(uri)), before);
        assert.deepEqual(preview, { uri, text }, 'what is written was shown');
        await writeFile(join(this.#root, pathOf(uri)), text);
        this.#shown.set(pathOf(uri), text);
      },
      save: async () => true,
    };
  }
}
