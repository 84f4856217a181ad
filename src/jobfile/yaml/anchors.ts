import type { YamlNode } from './jobDocument.ts';

/** The anchors of one text in document order. The text may be read in parts, and some parts twice. */
export class Anchors {
  readonly #nodes = new Map<string, YamlNode>();
  readonly #changes: { name: string; before: YamlNode | undefined }[] = [];
  readonly #lost = new Set<string>();

  get(name: string): YamlNode | undefined {
    return this.#nodes.get(name);
  }

  set(name: string, node: YamlNode): void {
    this.#changes.push({ name, before: this.#nodes.get(name) });
    this.#nodes.set(name, node);
  }

  /** Records a text that could not be parsed, so it is unknown whether it defines anchors. */
  lose(text: string): void {
    for (const [, name = ''] of text.matchAll(/&([^\s,[\]{}]+)/g)) this.#lost.add(name);
  }

  /** Returns whether an unparsed text may define an anchor of this name. */
  mayBeLost(name: string): boolean {
    return this.#lost.has(name);
  }

  /** The current position, to return to with `backTo`. */
  get mark(): number {
    return this.#changes.length;
  }

  /** Forgets the anchors set since the mark, because that part is read again. */
  backTo(mark: number): void {
    for (const { name, before } of this.#changes.splice(mark).reverse()) {
      if (before) this.#nodes.set(name, before);
      else this.#nodes.delete(name);
    }
  }
}
