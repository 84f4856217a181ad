import type { DeliveryTargets } from '../notify/delivery.ts';

/** What a user may set about the local service; each field may be left out. */
export interface ServiceConfiguration extends DeliveryTargets {
  /** How many runs execute at once. Default: the machine's processors, at least 4. */
  readonly maxParallelRuns?: number;
  /** The Python to use instead of the first of python3, python, py. */
  readonly python?: string;
  readonly notebookEngine?: 'auto' | 'builtin' | 'jupyter';
  readonly spark?: { master?: string; sparkSubmit?: string };
  /** Names of environment variables that tasks get beside the usual ones; `AWS_*` stands for all that begin so. */
  readonly environment?: readonly string[];
  /** OpenAI-compatible servers beside those of `models.json`. */
  readonly upstreams?: unknown[];
  /** Whether model servers on this machine's usual ports are looked for. Default true. */
  readonly discoverModels?: boolean;
}

/** The values in it that must never be logged or handed to a task. */
export function secretsOf(configuration: ServiceConfiguration): string[] {
  const secrets: string[] = [];
  if (configuration.smtp?.password) secrets.push(configuration.smtp.password);
  for (const destination of Object.values(configuration.destinations ?? {}))
    secrets.push(destination.url, ...Object.values(destination.headers ?? {}));
  for (const upstream of configuration.upstreams ?? []) {
    // Not checked yet; whoever wrote another form is told by the models.
    const { apiKey, apiKeyVariable } = (upstream ?? {}) as { apiKey?: unknown; apiKeyVariable?: unknown };
    const key = apiKey ?? (typeof apiKeyVariable === 'string' ? process.env[apiKeyVariable] : undefined);
    if (typeof key === 'string' && key !== '') secrets.push(key);
  }
  return secrets;
}
