import type { HistoryStorage } from '../../../src/chat/history.ts';

/** A folder in memory, with the faults a disk can have. */
export class MemoryStorage implements HistoryStorage {
  readonly files = new Map<string, { text: string; modifiedAtMs: number }>();
  readonly #watchers = new Set<(name: string) => void>();
  /** If set, the next append writes only this many characters and then fails. */
  failAppendAfter: number | undefined;

  list(): Promise<{ name: string; modifiedAtMs: number }[]> {
    return Promise.resolve([...this.files].map(([name, file]) => ({ name, modifiedAtMs: file.modifiedAtMs })));
  }

  read(name: string): Promise<string> {
    const file = this.files.get(name);
    return file ? Promise.resolve(file.text) : Promise.reject(new Error(`no file ${name}`));
  }

  append(name: string, text: string): Promise<void> {
    const written = this.failAppendAfter === undefined ? text : text.slice(0, this.failAppendAfter);
    const failed = this.failAppendAfter !== undefined;
    this.failAppendAfter = undefined;
    this.files.set(name, { text: (this.files.get(name)?.text ?? '') + written, modifiedAtMs: 0 });
    this.#tell(name);
    return failed ? Promise.reject(new Error('no space left on device')) : Promise.resolve();
  }

  note(name: string, text: string, isFirst: boolean): void {
    this.files.set(name, { text: (isFirst ? '' : (this.files.get(name)?.text ?? '')) + text, modifiedAtMs: 0 });
    this.#tell(name);
  }

  replace(name: string, text: string): Promise<void> {
    this.files.set(name, { text, modifiedAtMs: Date.now() });
    this.#tell(name);
    return Promise.resolve();
  }

  rename(from: string, to: string): Promise<void> {
    const file = this.files.get(from);
    if (!file) return Promise.reject(new Error(`no file ${from}`));
    this.files.delete(from);
    this.files.set(to, file);
    return Promise.resolve();
  }

  remove(name: string): Promise<void> {
    this.files.delete(name);
    this.#tell(name);
    return Promise.resolve();
  }

  watch(onChange: (name: string) => void): () => void {
    this.#watchers.add(onChange);
    return () => this.#watchers.delete(onChange);
  }

  #tell(name: string): void {
    for (const watcher of this.#watchers) watcher(name);
  }
}
