import type * as z from 'zod';
import { AppError } from '../../../shared/errors.ts';
import { parseJson } from '../../../shared/json.ts';
import { l10n } from '../../../shared/l10n.ts';
import { jobsRoutes } from '../../schema/jobs/routes.ts';
import { decodeChecked, formatProblems } from '../../schema/problems.ts';
import type { Route } from '../../schema/route.ts';
import type { Caller, Prepared } from '../caller.ts';
import type { CallOptions } from '../client.ts';
import { carryOut, type Intent, type IntentStore, type ResumedIntent, resumeAll } from '../intents.ts';
import { atVersion, needsNewerVersion, type VersionFinder } from './apiVersion.ts';

const routes = { 'jobs/run-now': jobsRoutes.runNow, 'jobs/runs/submit': jobsRoutes.submit } as const;

export interface RunStarterOptions {
  readonly intents?: IntentStore;
  /** Id of the profile; an intent is finished only for its own profile. */
  readonly profile: string;
}

/**
 * Starts exactly one run for each request (Jobs API 2.0, Endpoints rules 4 and 5): every request carries an idempotency token and is stored
 * before it is sent.
 */
export class RunStarter {
  readonly #caller: Caller;
  readonly #versions: VersionFinder;
  readonly #options: RunStarterOptions;

  constructor(caller: Caller, versions: VersionFinder, options: RunStarterOptions) {
    this.#caller = caller;
    this.#versions = versions;
    this.#options = options;
  }

  async start<Q extends z.ZodType, R extends z.ZodType<{ run_id: string }>>(
    route: Route<Q, R>,
    request: z.output<Q> & { idempotency_token?: string },
    callOptions: CallOptions = {},
  ): Promise<z.output<R>> {
    const token = request.idempotency_token || crypto.randomUUID();
    const { clock, logger } = this.#caller;
    const prepared = await this.#prepare(route, { ...request, idempotency_token: token }, callOptions);
    const intent: Intent = {
      token,
      operation: route.operation === 'jobs/run-now' ? 'jobs/run-now' : 'jobs/runs/submit',
      body: prepared.body ?? '{}',
      profile: this.#options.profile,
      createdAt: clock.now(),
    };
    return carryOut(this.#options.intents, intent, { signal: callOptions.signal, logger }, () =>
      this.#caller.deliver(route, prepared, callOptions),
    );
  }

  /** Prepares a request for version 2.0, or for the newest one that the service has if it has newer fields. */
  async #prepare<Q extends z.ZodType>(route: Route<Q>, request: z.output<Q>, options: CallOptions): Promise<Prepared> {
    // An invalid request is refused before anything is sent.
    const prepared = this.#caller.prepare(route, request, options);
    if (!needsNewerVersion(request)) return prepared;
    return this.#caller.prepare(atVersion(route, await this.#versions.find(options.signal)), request, options);
  }

  async resume(callOptions: CallOptions = {}): Promise<ResumedIntent[]> {
    const { intents, profile } = this.#options;
    if (!intents) return [];
    const { clock, logger } = this.#caller;
    return resumeAll(intents, { profile, clock, logger, signal: callOptions.signal }, (intent) =>
      this.#send(intent, callOptions),
    );
  }

  /** Sends a stored intent. Its body is checked like a new one, since the file could contain anything. */
  async #send(intent: Intent, callOptions: CallOptions): Promise<{ run_id: string }> {
    const route: Route<z.ZodType, z.ZodType<{ run_id: string }>> = routes[intent.operation];
    const checked = decodeChecked(route.request, parseJson(intent.body));
    if (!checked.ok)
      throw new AppError(
        'invalid',
        l10n.t(
          'The interrupted {0} cannot be finished: {1} The run was not started.',
          intent.operation,
          formatProblems(checked.problems),
        ),
        { operation: intent.operation, remedy: l10n.t('Start the run again.') },
      );
    const prepared = await this.#prepare(route, checked.value, callOptions);
    return this.#caller.deliver(route, { ...prepared, body: intent.body, tokened: true }, callOptions);
  }
}
