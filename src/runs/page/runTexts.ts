import type { Run, RunOutput } from '../../api/schema/jobs/schemas.ts';
import type { Connection, ConnectionService } from '../../connection/connection.ts';
import { AppError, describeError, isAppError, passingKinds, toAppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import { jobName } from '../jobNames.ts';
import { outputText } from '../outputText.ts';
import { runTitle } from '../rowWords.ts';
import { isOneTime } from '../runOrder.ts';
import { runStatus } from '../runState.ts';
import { readRunOutput } from '../runTasks.ts';
import { type RunStore } from '../store/runStore.ts';

/** A run whose output is read. */
export interface RunPlace {
  /** In lower case, because it is part of a URI's authority. */
  readonly profileId: string;
  readonly runId: string;
  /** Whether the text is compared with another run's and so has no head. */
  readonly isCompared?: boolean;
}

export interface RunText {
  readonly text: string;
  /** Whether reading again soon may return another text. */
  readonly follow: boolean;
}

/** Reads the outputs of runs as texts, and keeps the last one of each in case the output becomes unreadable. */
export class RunTexts {
  readonly #connections: ConnectionService;
  readonly #store: RunStore;
  readonly #last = new Map<string, string>();
  readonly #versions = new Map<string, string>();

  constructor(connections: ConnectionService, store: RunStore) {
    this.#connections = connections;
    this.#store = store;
  }

  /**
   * Never rejects: a failure becomes a text that says why, above the text that was read before.
   * @param byUser the user asked for it: a stopped local service is started
   */
  async read(place: RunPlace, byUser: boolean): Promise<RunText> {
    // Before connecting: no service is started for the text of another profile.
    if (!this.#isCurrent(place)) return this.#ofAnother(place);
    try {
      const connection = await this.#connect(place, byUser);
      if (connection.profile.id.toLowerCase() !== place.profileId) return this.#ofAnother(place);
      return await this.#readFrom(connection, place);
    } catch (error) {
      const reason = this.#unread(place, error);
      // The service may soon be back; a permanent refusal is not retried.
      return { text: this.#aboveLast(place, reason), follow: passingKinds.has(toAppError(error).kind) };
    }
  }

  #unread({ runId }: RunPlace, error: unknown): string {
    return `${l10n.t('The output of run {0} could not be read.', runId)}\n${describeError(error)}\n`;
  }

  /** Forgets a text that nobody reads any longer. */
  forget(place: RunPlace): void {
    this.#last.delete(keyOf(place));
    this.#versions.delete(keyOf(place));
  }

  async #connect({ runId }: RunPlace, byUser: boolean): Promise<Connection> {
    const connection = await this.#connections.connectIfUsed({ byUser });
    if (connection) return connection;
    throw new AppError('notFound', l10n.t('The local service has no data, so there is no run {0}.', runId), {
      remedy: l10n.t('Start the run again.'),
    });
  }

  /** Returns the Python and packages of a local run, which come with the first piece of its output and do not change. */
  async #versionsOf({ client, profile }: Connection, place: RunPlace, run: Run): Promise<string | undefined> {
    const known = this.#versions.get(keyOf(place));
    if (known !== undefined || profile.kind !== 'local') return known;
    const first = { runId: place.runId, offset: 0, wait: false };
    // The text is fine without them, as from a service of an earlier version.
    const piece = await client.localService.runOutput(first, { retry: 'fail' }).catch(() => undefined);
    // They are recorded before the task begins: a running task without them has none.
    const isKnown = piece !== undefined && (piece.versions !== undefined || run.state?.life_cycle_state !== 'PENDING');
    if (isKnown) this.#versions.set(keyOf(place), piece.versions ?? '');
    return piece?.versions;
  }

  async #readFrom(connection: Connection, place: RunPlace): Promise<RunText> {
    const { client, profile } = connection;
    const answer = await readRunOutput(client.jobs, place.runId, { retry: 'fail' }).catch((error: unknown) => {
      // A service may refuse the output of a run that it has, and that goes on.
      if (passingKinds.has(toAppError(error).kind)) throw error;
      return toAppError(error);
    });
    const unread = isAppError(answer) ? this.#unread(place, answer) : undefined;
    const output: RunOutput = isAppError(answer) ? {} : answer;
    const run = output.metadata ?? (await client.jobs.getRun(place.runId, { retry: 'fail' }));
    const isShown = this.#connections.current.id === profile.id;
    const job = !isShown || run.job_id === undefined || isOneTime(run) ? undefined : this.#store.job(run.job_id);
    const title = job ? `${jobName(job)} ${runTitle(run)}` : runTitle(run);
    const versions = await this.#versionsOf(connection, place, run);
    const follow = runStatus(run).active;
    const text = outputText(place.isCompared ? undefined : title, output, run, Date.now(), versions, unread);
    if (unread !== undefined) return { text: this.#aboveLast(place, text), follow };
    this.#last.set(keyOf(place), text);
    return { text, follow };
  }

  #isCurrent({ profileId }: RunPlace): boolean {
    return this.#connections.current.id.toLowerCase() === profileId;
  }

  #ofAnother(place: RunPlace): RunText {
    const { current, profiles } = this.#connections;
    const owner = profiles.find((profile) => profile.id.toLowerCase() === place.profileId);
    const reason = owner
      ? l10n.t(
          'This run belongs to the profile "{0}", but the current one is "{1}", so its output is not read. Choose "{0}" to read it.',
          owner.name,
          current.name,
        )
      : l10n.t('This run belongs to a profile that no longer exists, so its output cannot be read.');
    return { text: this.#aboveLast(place, `${reason}\n`), follow: false };
  }

  /** Keeps the text that the user is reading below the reason. */
  #aboveLast(place: RunPlace, reason: string): string {
    const text = this.#last.get(keyOf(place));
    return text === undefined ? reason : `${reason}\n${l10n.t('This is the last known text:')}\n\n${text}`;
  }
}

function keyOf({ profileId, runId, isCompared = false }: RunPlace): string {
  return `${profileId} ${runId} ${isCompared}`;
}
