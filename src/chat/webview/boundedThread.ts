interface Job<Request, Reply> {
  readonly request: Request;
  resolve(reply: Reply | undefined): void;
}

/** Another thread of the page: it answers one request after the other, and is ended if one takes too long. */
export class BoundedThread<Request, Reply> {
  readonly #source: string;
  readonly #limitInMs: number;
  readonly #maxOverruns: number;
  readonly #jobs: Job<Request, Reply>[] = [];
  #worker: Worker | undefined;
  #current: Job<Request, Reply> | undefined;
  #timer = 0;
  #overruns = 0;

  /**
   * @param source the text of the worker
   * @param limitInMs what takes longer has no reply
   * @param maxOverruns after so many that took longer, nothing is asked any more: they must not keep a processor busy
   */
  constructor(source: string, limitInMs: number, maxOverruns: number) {
    [this.#source, this.#limitInMs, this.#maxOverruns] = [source, limitInMs, maxOverruns];
  }

  /** The worker's reply; undefined if it takes too long or there can be no worker. Never rejects. */
  ask(request: Request): Promise<Reply | undefined> {
    if (this.#overruns >= this.#maxOverruns) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#jobs.push({ request, resolve });
      this.#next();
    });
  }

  #next(): void {
    if (this.#current) return;
    const job = this.#jobs.shift();
    if (!job) return;
    this.#current = job;
    if (this.#overruns >= this.#maxOverruns) {
      this.#settle(undefined);
      return;
    }
    try {
      this.#worker ??= this.#start();
    } catch {
      // A host that allows no such thread.
      this.#abandon();
      return;
    }
    this.#worker.postMessage(job.request);
    this.#timer = window.setTimeout(() => this.#abandon(), this.#limitInMs);
  }

  #start(): Worker {
    const address = URL.createObjectURL(new Blob([this.#source], { type: 'text/javascript' }));
    const worker = new Worker(address);
    worker.addEventListener('message', ({ data }: MessageEvent<Reply | undefined>) => this.#settle(data));
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

  #settle(reply: Reply | undefined): void {
    window.clearTimeout(this.#timer);
    const job = this.#current;
    this.#current = undefined;
    job?.resolve(reply);
    this.#next();
  }
}
