import { synonymsOf } from './terms.ts';

// The usual constants of BM25, but with a low length penalty because descriptions are short.
const saturation = 1.4;
const lengthPenalty = 0.35;
/** Minimum weight of a headword in a document. */
const headWeight = 2.5;
/** Weight of a synonym relative to the word itself. */
const synonymWeight = 0.55;

/** A value to find, with the weight of each of its terms. */
export interface SearchDocument<T> {
  readonly value: T;
  readonly weights: ReadonlyMap<string, number>;
}

export interface Hit<T> {
  readonly value: T;
  readonly score: number;
  /** Share of the question's weight that the document answers, 0 to 1. */
  readonly coverage: number;
  /** Share of the question's weight that headwords answer, 0 to 1. Headwords come from the title, the name and the `asks` words. */
  readonly headCoverage: number;
}

/** Ranks documents by BM25 over weighted terms; a question's term also finds its synonyms. */
export class SearchIndex<T> {
  readonly #documents: { value: T; weights: ReadonlyMap<string, number>; length: number }[];
  readonly #frequencies = new Map<string, number>();
  readonly #averageLength: number;

  constructor(documents: Iterable<SearchDocument<T>>) {
    this.#documents = [...documents].map(({ value, weights }) => ({ value, weights, length: sum(weights.values()) }));
    for (const { weights } of this.#documents) {
      for (const term of weights.keys()) this.#frequencies.set(term, (this.#frequencies.get(term) ?? 0) + 1);
    }
    this.#averageLength = sum(this.#documents.map((document) => document.length)) / Math.max(1, this.#documents.length);
  }

  /** Returns the rarity of a term. An unknown term is as rare as the rarest known term. */
  rarity(term: string): number {
    const frequency = Math.max(1, this.#frequencies.get(term) ?? 0);
    return Math.log(1 + (this.#documents.length - frequency + 0.5) / (frequency + 0.5));
  }

  knows(term: string): boolean {
    return this.#frequencies.has(term);
  }

  /**
   * Returns the best hits.
   * @param question terms with their weights
   */
  search(question: ReadonlyMap<string, number>, limit = 8): Hit<T>[] {
    const total = sum([...question].map(([term, weight]) => weight * this.rarity(term)));
    if (total === 0) return [];
    const hits: Hit<T>[] = [];
    for (const document of this.#documents) {
      let score = 0;
      let [covered, coveredByHeads] = [0, 0];
      for (const [term, weight] of question) {
        const { gain, share, isHead } = this.#match(document, term);
        score += weight * gain;
        covered += weight * share * this.rarity(term);
        if (isHead) coveredByHeads += weight * share * this.rarity(term);
      }
      if (score > 0)
        hits.push({
          value: document.value,
          score,
          coverage: covered / total,
          headCoverage: coveredByHeads / total,
        });
    }
    return hits.sort((left, right) => right.score - left.score).slice(0, limit);
  }

  #match(
    document: { weights: ReadonlyMap<string, number>; length: number },
    term: string,
  ): { gain: number; share: number; isHead: boolean } {
    const own = this.#gain(document, term);
    const isHead = (each: string): boolean => (document.weights.get(each) ?? 0) >= headWeight;
    if (own > 0) return { gain: own, share: 1, isHead: isHead(term) };
    let [best, hasHead] = [0, false];
    for (const synonym of synonymsOf(term)) {
      best = Math.max(best, this.#gain(document, synonym));
      hasHead ||= isHead(synonym);
    }
    return { gain: best * synonymWeight, share: best > 0 ? 0.8 : 0, isHead: hasHead };
  }

  #gain(document: { weights: ReadonlyMap<string, number>; length: number }, term: string): number {
    const weight = document.weights.get(term);
    if (weight === undefined) return 0;
    const norm = 1 - lengthPenalty + (lengthPenalty * document.length) / this.#averageLength;
    return (this.rarity(term) * weight * (saturation + 1)) / (weight + saturation * norm);
  }
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Adds the terms of one part of a document to its weights. */
export function addTerms(weights: Map<string, number>, terms: readonly string[], weight: number): void {
  for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + weight);
}
