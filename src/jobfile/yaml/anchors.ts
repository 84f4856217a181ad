import type { YamlNode } from './yamlNode.ts';

/** The anchors of one text in the order of the text, which may be read in parts, and some parts twice. */
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

  /** A text that could not be read as it is: whether it has these anchors is not known. */
  lose(text: string): void {
    for (const [, name = ''] of text.matchAll(/&([^\s,[\]{}]+)/g)) this.#lost.add(name);
  }

  /** Whether an anchor of this name may stand in what could not be read. */
  mayBeLost(name: string): boolean {
    return this.#lost.has(name);
  }

  /** How much is known, to come back to. */
  get mark(): number {
    return this.#changes.length;
  }

  /** Forgets what was set since the mark, because that part is read again. */
  backTo(mark: number): void {
    for (const { name, before } of this.#changes.splice(mark).reverse()) {
      if (before) this.#nodes.set(name, before);
      else this.#nodes.delete(name);
    }
  }
}
