import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { WorkspaceClient } from '../../../src/api/client/index.ts';
import type { LookUpAnswer } from '../../../src/chat/chatTools.ts';
import type { EditorModels } from '../../../src/chat/editorModel.ts';
import { createLookUps } from '../../../src/commands/lookUps/createLookUps.ts';
import type { Ui, WorkspaceFile } from '../../../src/commands/ui.ts';
import { Bench } from '../../unit/commands/commandSetup.ts';

/** A conversation about a folder of this machine; what is written must have been shown before. */
export class FolderBench extends Bench {
  readonly #root: string;
  /** The last answer of the conversation. */
  last: LookUpAnswer | undefined;
  /** Models of the editor. */
  models: EditorModels | undefined;
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

  /** Sends a command, and returns its answer. */
  async say(text: string): Promise<LookUpAnswer> {
    const { answer } = createLookUps(this.services, { manual: async () => [], openSection: async () => undefined });
    const question = { text, attachments: [], before: this.last, models: this.models };
    this.last = await answer(question, new AbortController().signal);
    return this.last;
  }

  /** Takes an action below the last answer; `undefined` if it has none of this title. */
  async act(title: string): Promise<LookUpAnswer | undefined> {
    const command = this.last?.links?.find((link) => link.isAction && link.title.startsWith(title))?.command;
    return command === undefined ? undefined : this.say(command);
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
    return {
      pick: async (_title, _placeholder, items) => items.find(({ label }) => label === 'scripted')?.value,
      askChat: async (prompt) => void (await this.say(prompt)),
      info: async (message) => void this.trail.push(`info: ${message}`),
      warn: async (message) => void this.trail.push(`warn: ${message}`),
      workspaceFile: async (path = 'etl.job.yml') => file(path),
      workspaceFiles: async () => [...this.#shown.keys()],
      jobFiles: async () => [{ uri: this.uriOf('etl.job.yml'), name: 'etl.job.yml' }],
      textOf: async (uri) => this.textOf(pathOf(uri)),
      replaceText: async (uri, before, text) => {
        assert.equal(await this.textOf(pathOf(uri)), before);
        const shown = this.last?.markdown.split('\n') ?? [];
        const added = text.split(/\r?\n/).filter((line) => !before.split(/\r?\n/).includes(line));
        for (const line of added) assert.ok(shown.includes(`+${line}`), `${line} is written, so it was shown`);
        await writeFile(join(this.#root, pathOf(uri)), text);
        this.#shown.set(pathOf(uri), text);
      },
      save: async () => true,
    };
  }
}
