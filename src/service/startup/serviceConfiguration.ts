import type { DeliveryTargets } from '../notify/delivery.ts';

/** Settings of the local service; each field is optional. */
export interface ServiceConfiguration extends DeliveryTargets {
  /** Maximum number of runs that execute at once. Default: the machine's processors, at least 4. */
  readonly maxParallelRuns?: number;
  /** Python to use instead of the first of python3, python, py. */
  readonly python?: string;
  readonly notebookEngine?: 'auto' | 'builtin' | 'jupyter';
  readonly spark?: { master?: string; sparkSubmit?: string };
  /** Names of environment variables that tasks get in addition to the usual ones; `AWS_*` stands for all with that prefix. */
  readonly environment?: readonly string[];
  /** OpenAI-compatible servers in addition to those of `models.json`. */
  readonly upstreams?: unknown[];
  /** API keys by the addresses of their model servers. */
  readonly modelKeys?: Readonly<Record<string, string>>;
  /** Whether to look for model servers on this machine's usual ports. Default: true. */
  readonly discoverModels?: boolean;
}

/** Returns the values that must never be logged or passed to a task. */
export function secretsOf(configuration: ServiceConfiguration): string[] {
  const secrets: string[] = [];
  if (configuration.smtp?.password) secrets.push(configuration.smtp.password);
  for (const destination of Object.values(configuration.destinations ?? {}))
    secrets.push(destination.url, ...Object.values(destination.headers ?? {}));
  secrets.push(...Object.values(configuration.modelKeys ?? {}));
  for (const upstream of configuration.upstreams ?? []) {
    // Not validated yet; the models report other forms.
    const { apiKey, apiKeyVariable } = (upstream ?? {}) as { apiKey?: unknown; apiKeyVariable?: unknown };
    const key = apiKey ?? (typeof apiKeyVariable === 'string' ? process.env[apiKeyVariable] : undefined);
    if (typeof key === 'string' && key !== '') secrets.push(key);
  }
  return secrets;
}
