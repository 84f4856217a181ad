import type { Clock } from '../../../shared/clock.ts';
import { isAppError } from '../../../shared/errors.ts';
import { fieldsOf } from '../../../shared/fields.ts';
import { capabilitiesOf, type UpstreamKind } from './capabilities.ts';
import type { UpstreamFetch } from './patientFetch.ts';
import type { UpstreamSettings } from './upstreamConfig.ts';
import { UpstreamConnection, type JsonObject } from './upstreamConnection.ts';

/** Default ports of Ollama, llama.cpp, vLLM and LM Studio. */
export const usualPorts: readonly number[] = [11434, 8080, 8000, 1234];

/** A server on this machine answers quickly, or is not one. */
const probeLimitInMs = 400;

export interface FoundModel {
  readonly model: string;
  /** The task, if the server reports it. */
  readonly task?: 'chat' | 'embedding';
  /** Maximum tokens of a request and its answer, if the server reports it. */
  readonly contextLength?: number;
}

/** A model server that was found, with its models. */
export interface FoundUpstream {
  readonly settings: UpstreamSettings;
  readonly models: FoundModel[];
}

interface ProbeOptions {
  readonly fetch: UpstreamFetch;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/** Looks for an OpenAI-compatible server on each of these ports of this machine. A port without one is no failure. */
export async function discoverUpstreams(ports: readonly number[], options: ProbeOptions): Promise<FoundUpstream[]> {
  const found = await Promise.all(ports.map((port) => probe(port, options)));
  return found.filter((upstream) => upstream !== undefined);
}

async function probe(port: number, options: ProbeOptions): Promise<FoundUpstream | undefined> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const connection = new UpstreamConnection({
    label: `port ${port}`,
    baseUrl,
    fetch: options.fetch,
    clock: options.clock,
    idleLimitInMs: probeLimitInMs,
  });
  try {
    const list = await connection.getJson('/models', { signal: options.signal });
    if (!Array.isArray(list['data'])) return undefined;
    const kind = kindOf(list, port);
    const models = await withTasks(kind, listedModels(list), connection, options.signal);
    return {
      settings: {
        name: kind === 'generic' ? `local-${port}` : kind,
        kind,
        baseUrl,
        models: 'all',
        timeoutInSeconds: 300,
      },
      models,
    };
  } catch (error) {
    // No server, or another kind of server.
    if (isAppError(error)) return undefined;
    throw error;
  }
}

/** Determines the kind of server by the owner of the models in its list. */
export function kindOf(list: JsonObject, port: number): UpstreamKind {
  const [first] = Array.isArray(list['data']) ? (list['data'] as JsonObject[]) : [];
  const owner = first?.['owned_by'];
  if (owner === 'llamacpp') return 'llamacpp';
  if (owner === 'vllm') return 'vllm';
  if (owner === 'me') return 'llama-cpp-python';
  if (owner === 'organization_owner') return 'lmstudio';
  if (owner === 'library' || port === 11434) return 'ollama';
  return 'generic';
}

export function listedModels(list: JsonObject): FoundModel[] {
  const data = Array.isArray(list['data']) ? list['data'] : [];
  return data.flatMap((entry: JsonObject) => {
    const { id } = entry;
    if (typeof id !== 'string' || id === '') return [];
    const contextLength = contextLengthOf(entry);
    return [{ model: id, ...(contextLength !== undefined && { contextLength }) }];
  });
}

/** Returns what vLLM, OpenRouter, LM Studio or llama.cpp tells about a model's window. */
function contextLengthOf(entry: JsonObject): number | undefined {
  const meta = fieldsOf(entry['meta']);
  const told = [entry['max_model_len'], entry['context_length'], entry['max_context_length'], meta?.['n_ctx']];
  return told.find((length): length is number => Number.isSafeInteger(length) && Number(length) > 0);
}

/** Only Ollama reports what each model can do; for other servers the model's name decides. */
export async function withTasks(
  kind: UpstreamKind,
  models: readonly FoundModel[],
  connection: UpstreamConnection,
  signal: AbortSignal | undefined,
): Promise<FoundModel[]> {
  if (kind !== 'ollama') return models.map((found) => ({ ...found, task: taskByName(found.model) }));
  return await Promise.all(
    models.map(async (found) => {
      try {
        const { capabilities } = await connection.postJson(
          '//api/show',
          { model: found.model },
          { signal, idleLimitInMs: probeLimitInMs },
        );
        if (Array.isArray(capabilities))
          return { ...found, task: capabilities.includes('embedding') ? ('embedding' as const) : ('chat' as const) };
      } catch (error) {
        if (!isAppError(error)) throw error;
      }
      return { ...found, task: taskByName(found.model) };
    }),
  );
}

/** Guesses the task: names of embedding models say so, or are well known. */
export function taskByName(model: string): 'chat' | 'embedding' {
  return /embed|minilm|\bbge\b|\bgte\b|\be5\b|mpnet/i.test(model.replaceAll(/[-_/]/g, ' ')) || /embed/i.test(model)
    ? 'embedding'
    : 'chat';
}

export function labelOf(settings: UpstreamSettings): string {
  return `${capabilitiesOf[settings.kind].label} at ${settings.baseUrl}`;
}
