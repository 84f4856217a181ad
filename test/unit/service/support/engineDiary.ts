import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../../../src/service/engine/engine.ts';
import type { Engine } from '../../../../src/service/engine/engineContract.ts';
import { createJobCatalog, type JobCatalog } from '../../../../src/service/engine/jobCatalog.ts';
import { startRetention } from '../../../../src/service/engine/retention.ts';
import { runFolder } from '../../../../src/service/engine/runStart.ts';
import { createScheduler } from '../../../../src/service/engine/scheduler.ts';
import type { Runners } from '../../../../src/service/runners/runner.ts';
import { openStore, type Store } from '../../../../src/service/store/store.ts';
import type { Disposable } from '../../../../src/shared/lifecycle.ts';
import { type Logger, silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { createFakeRunners, type FakeRunners } from './fakeRunners.ts';

const monday = Date.UTC(2026, 0, 5, 10);
type Fields = Record<string, unknown>;

/**
 * An engine with its jobs and schedules, and a diary of everything that can be seen of it from outside: what is asked of it, what it
 * stores, tells, logs and hands over, and how many timers are left after each step.
 */
export class EngineDiary {
  readonly lines: string[] = [];
  readonly clock = new FakeClock(monday);
  readonly folder = mkdtempSync(join(tmpdir(), 'millrace-diary-'));
  runners!: FakeRunners;
  store!: Store;
  engine!: Engine;
  catalog!: JobCatalog;
  /** What keeps the next transactions from being stored. */
  diskFull = 0;
  #parts: Disposable[] = [];
  #known = new Map<string, Fields>();
  #lists = '';
  #isTold = false;

  constructor(places = 2) {
    this.#open(places);
  }

  /** Writes a step down, does it, and looks what has become of it. */
  async step(words: string, action: () => unknown = () => undefined): Promise<void> {
    this.lines.push(`> ${words}`);
    try {
      const answer = await action();
      if (typeof answer === 'string') this.say(`answer: ${answer}`);
    } catch (error) {
      const { status, errorCode, retryAfterInSeconds, message } = error as Error & Fields;
      this.say(`refused: ${[status, errorCode, retryAfterInSeconds, message].filter(Boolean).join(' ')}`);
    }
    await this.pass(0);
  }

  /** Lets time go by. */
  async pass(durationInMs: number): Promise<void> {
    if (durationInMs > 0) this.lines.push(`> ${durationInMs} ms later`);
    await this.clock.advance(durationInMs);
    this.#look();
    if (this.#isTold) this.say('what was told waits for somebody to send it');
    const next = this.clock.nextDelayInMs;
    const held = this.engine.heldRuns.length === 0 ? '' : `, ${this.engine.heldRuns.join()} held`;
    this.lines.push(
      `  (${this.engine.activeCount} active${held}, ${this.clock.pending} timers${next === undefined ? '' : `, the next in ${next} ms`})`,
    );
  }

  /** Creates a job of one Python task. */
  job(more: Fields = {}): string {
    const settings = { name: 'j', existing_cluster_id: 'c', spark_python_task: { python_file: '/a.py' }, ...more };
    return this.catalog.create({ text: JSON.stringify(settings), settings });
  }

  async runNow(jobId: string, token?: string, options?: { debug?: boolean }, params = '{}'): Promise<string> {
    const parameters = new Map(Object.entries(JSON.parse(params) as Fields).map(([k, v]) => [k, JSON.stringify(v)]));
    const { runId } = await this.catalog.runNow(jobId, parameters as never, token, options);
    mkdirSync(runFolder(this.folder, runId), { recursive: true });
    void this.engine.whenOver(runId).then((run) => this.say(`run ${runId} is over: ${run?.runId} ${run?.lifeCycle}`));
    return runId;
  }

  say(line: string): void {
    this.lines.push(`  ${this.clock.now() - monday} ${line}`);
  }

  /** Ends this one, and opens another on the same folder. */
  async restart(killLeftovers: () => Promise<unknown>): Promise<void> {
    await this.#close();
    this.#known.clear();
    this.#open(2);
    this.engine.recover(() => {
      this.say(`the leftovers are ended: ${JSON.stringify(this.store.processes.all())}`);
      return killLeftovers();
    });
  }

  async close(): Promise<string> {
    await this.#close();
    this.lines.push(`  (${this.clock.pending} timers are left, and folders of the runs ${await this.#folders()})`);
    rmSync(this.folder, { recursive: true });
    return this.lines.join('\n').replaceAll(this.folder, '<data>');
  }

  /** Those that are to go need a moment. */
  async #folders(): Promise<string> {
    const names = (): string[] => (existsSync(join(this.folder, 'runs')) ? readdirSync(join(this.folder, 'runs')) : []);
    const end = Date.now() + 2000;
    while (names().some((name) => !this.#known.has(`run ${name}`)) && Date.now() < end) await settle();
    return names().join();
  }

  async #close(): Promise<void> {
    const closing = this.engine.close();
    await this.clock.advance(1000);
    await closing;
    this.#look();
    for (const part of this.#parts.splice(0)) part.dispose();
    this.store.close();
  }

  #open(places: number): void {
    const { clock, folder } = this;
    const store = openStore(folder);
    this.store = { ...store, transaction: (body) => this.#transaction(store, body) };
    this.runners = createFakeRunners();
    const tell = (what: string): void => {
      this.#isTold = true;
      this.say(`told: ${what}`);
    };
    const notifier = {
      started: ({ runId }: Fields) => tell(`run ${String(runId)} started`),
      over: ({ runId, lifeCycle, result }: Fields, _settings: unknown, willRetry: boolean) =>
        tell(`run ${String(runId)} ended ${String(lifeCycle)} ${String(result)}${willRetry ? ', is retried' : ''}`),
      lastsLong: ({ runId }: Fields) => tell(`run ${String(runId)} lasts long`),
      jobDeleted: (jobId: string, { name }: { name?: string }) => tell(`job ${jobId} (${name}) was deleted`),
      wake: () => (this.#isTold = false),
    } as never;
    const log = (level: string) => (message: string) => this.say(`log ${level}: ${message}`);
    const logger: Logger = { ...silentLogger, info: log('info'), warn: log('warn'), error: log('error') };
    const base = { store: this.store, clock, logger, dataFolder: folder, notifier, creator: 'me' };
    this.engine = createEngine({ ...base, runners: this.#watched(this.runners), places });
    const scheduler = createScheduler({ ...base, engine: () => this.engine });
    this.catalog = createJobCatalog({ ...base, engine: this.engine, scheduler });
    scheduler.check();
    this.#parts = [scheduler, startRetention(base)];
  }

  #transaction<T>(store: Store, body: () => T): T {
    return store.transaction(() => {
      const result = body();
      if (this.diskFull === 0) return result;
      this.diskFull -= 1;
      this.#isTold = false;
      throw new Error('The disk is full.');
    });
  }

  /** Writes down what is handed over, and when it is aborted. */
  #watched(runners: Runners): Runners {
    return {
      probe: () => runners.probe(),
      forTask: (task) => ({
        run: (request, events, options) => {
          this.say(`task of run ${request.runId}: ${JSON.stringify(request)}`);
          options.signal.addEventListener('abort', () => {
            const { reason } = options.signal as { reason: Error };
            this.say(`task of run ${request.runId} is aborted: ${reason.message}`);
          });
          return runners.forTask(task).run(request, events, options);
        },
      }),
    };
  }

  /** What is stored of runs and jobs, as far as it is another than at the last look. */
  #look(): void {
    const { store } = this;
    const most = Math.max(...[...this.#known.keys()].map((what) => Number(what.split(' ')[1]) || 0), 0);
    for (let id = 1; id <= most + 12; id += 1) {
      const runId = String(id);
      const run = store.runs.get(runId);
      const plan = store.runParts.plan(runId);
      this.#tellChanges(
        `run ${id}`,
        run && {
          ...run,
          isSeen: this.engine.get(runId) !== undefined,
          plan: plan && `${plan.settings} ${plan.parameters}`,
          outcome: store.runParts.outcome(runId),
        },
      );
      this.#tellChanges(`job ${id}`, store.jobs.get(runId) as Fields | undefined);
    }
    this.#tellChanges('the rest', {
      nextFire: store.jobs.earliestFire(),
      processes: JSON.stringify(store.processes.all()),
      creations: store.creations.countSince(0),
    });
    const lists = JSON.stringify(store.changes.stamps);
    if (lists !== this.#lists) this.say('the lists are others');
    this.#lists = lists;
  }

  #tellChanges(what: string, now: object | undefined): void {
    const before = this.#known.get(what) ?? {};
    const after = (now ?? {}) as Fields;
    const names = Object.keys({ ...before, ...after }).filter(
      (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
    );
    if (names.length === 0) return;
    if (now === undefined) this.#known.delete(what);
    else this.#known.set(what, after);
    const words = names.map((name) => `${name}=${inShort(after[name])}`);
    this.say(`${what}: ${now === undefined ? 'gone' : words.join(' ')}`);
  }
}

/** Moments as what has gone by since the beginning. */
function inShort(value: unknown): string {
  if (typeof value === 'number' && value > monday / 2) return `@${value - monday}`;
  return JSON.stringify(value) ?? '–';
}
