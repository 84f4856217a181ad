import source from 'worker:./highlightWorker.ts';
import { type Colours, isHighlightable } from './colours.ts';
import type { HighlightReply, HighlightRequest } from './highlightWorker.ts';

/** Code that takes longer stays plain; ordinary code takes a few milliseconds, and the first of a page some more. */
const limitInMs = 2_000;
/** After so many that took longer, the page colours no more: a conversation full of them must not keep a processor busy. */
const maxOverruns = 5;

interface Job extends HighlightRequest {
  resolve(colours: HighlightReply): void;
}

/** Colours code in another thread, one text after the other, and ends that thread where a text takes too long. */
class HighlightThread {
  readonly #jobs: Job[] = [];
  #worker: Worker | undefined;
  #current: Job | undefined;
  #timer = 0;
  #overruns = 0;

  /** The colours of the code; undefined where it has none or they take too long. Never rejects. */
  colours(code: string, language: string): Promise<Colours | undefined> {
    if (language === '' || this.#overruns >= maxOverruns || !isHighlightable(code)) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#jobs.push({ code, language, resolve });
      this.#next();
    });
  }

  #next(): void {
    if (this.#current) return;
    const job = this.#jobs.shift();
    if (!job) return;
    this.#current = job;
    if (this.#overruns >= maxOverruns) {
      this.#settle(undefined);
      return;
    }
    try {
      this.#worker ??= this.#start();
    } catch {
      // A host that allows no such thread: code stays plain.
      this.#abandon();
      return;
    }
    const { code, language } = job;
    this.#worker.postMessage({ code, language } satisfies HighlightRequest);
    this.#timer = window.setTimeout(() => this.#abandon(), limitInMs);
  }

  #start(): Worker {
    const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    const worker = new Worker(address);
    worker.addEventListener('message', ({ data }: MessageEvent<HighlightReply>) => this.#settle(data));
    worker.addEventListener('error', () => this.#abandon());
    URL.revokeObjectURL(address);
    return worker;
  }

  #abandon(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#overruns += 1;
    this.#settle(undefined);
  }

  #settle(reply: HighlightReply): void {
    window.clearTimeout(this.#timer);
    const job = this.#current;
    this.#current = undefined;
    job?.resolve(reply);
    this.#next();
  }
}

/** The one thread of the page. */
export const highlightThread = new HighlightThread();
