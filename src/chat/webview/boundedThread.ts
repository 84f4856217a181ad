interface Job<Request, Reply> {
  readonly request: Request;
  resolve(reply: Reply | undefined): void;
}

/** A worker thread of the webview. It handles one request at a time and is terminated if one takes too long. */
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
   * @param source source code of the worker
   * @param limitInMs time after which a request gets no reply
   * @param maxOverruns number of timeouts after which no more requests are sent, so that they do not keep a processor busy
   */
  constructor(source: string, limitInMs: number, maxOverruns: number) {
    [this.#source, this.#limitInMs, this.#maxOverruns] = [source, limitInMs, maxOverruns];
  }

  /** Returns the worker's reply, or `undefined` if it takes too long or workers are unavailable. Never rejects. */
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
      // The host does not allow workers.
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
