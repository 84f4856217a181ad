/**
 * What each kind of model server does with the fields of the Inference API. Such servers silently drop unknown fields and have their own
 * defaults; so every field is passed on, emulated or rejected, and every sampling value is sent.
 */

export const upstreamKinds = [
  'ollama',
  'llamacpp',
  'llama-cpp-python',
  'vllm',
  'lmstudio',
  'openai',
  'generic',
] as const;
export type UpstreamKind = (typeof upstreamKinds)[number];

export interface Capabilities {
  /** Name for people. */
  readonly label: string;
  /** The value of `top_k` that means "no limit", or `undefined` if the field is unknown, so that only 1 can be emulated. */
  readonly topKForNone: number | undefined;
  /** Values sent with every request to neutralize the server's own sampling defaults. */
  readonly neutralSampling: Readonly<Record<string, number>>;
  /** `max_tokens` for "no limit" on the completions route; `undefined`: left out. */
  readonly unlimitedTokens: number | null | undefined;
  readonly n: 'pass' | 'emulate';
  /** `askTemplate`: the server reports whether the model's template supports functions; if not, it drops them. */
  readonly tools: 'pass' | 'askTemplate';
  /** `tool_choice: required`. `emulate`: the model answers in JSON, which becomes the call. */
  readonly toolRequired: 'pass' | 'emulate';
  /** A forced function. `narrow`: only that function is offered, and a call is required. */
  readonly toolForced: 'pass' | 'narrow' | 'emulate';
  /** `tool_choice: none`. `omit`: the functions are not sent. */
  readonly toolNone: 'pass' | 'omit';
  /** `json_object`. `asSchema`: as the schema of any object. */
  readonly jsonObject: 'pass' | 'asSchema';
  /** `json_schema`. `inJsonObject`: as `{type: json_object, schema}`. */
  readonly jsonSchema: 'pass' | 'inJsonObject';
  /** Either way, a response without them is an error. */
  readonly logprobs: 'pass' | 'refuse';
  /** Route for a prompt that must not be transformed. */
  readonly rawPrompt: 'completions' | 'ollamaGenerate';
  /** Whether the server understands `stream_options: {include_usage: true}`. */
  readonly streamUsage: boolean;
}

const base: Capabilities = {
  label: 'an OpenAI-compatible server',
  topKForNone: undefined,
  neutralSampling: {},
  unlimitedTokens: undefined,
  n: 'emulate',
  tools: 'pass',
  toolRequired: 'pass',
  toolForced: 'pass',
  toolNone: 'omit',
  jsonObject: 'pass',
  jsonSchema: 'pass',
  logprobs: 'pass',
  rawPrompt: 'completions',
  streamUsage: true,
};

export const capabilitiesOf: Readonly<Record<UpstreamKind, Capabilities>> = {
  ollama: { ...base, label: 'Ollama', toolRequired: 'emulate', toolForced: 'emulate', rawPrompt: 'ollamaGenerate' },
  llamacpp: {
    ...base,
    label: 'llama.cpp',
    topKForNone: 0,
    neutralSampling: { min_p: 0 },
    unlimitedTokens: -1,
    tools: 'askTemplate',
    toolForced: 'narrow',
  },
  'llama-cpp-python': {
    ...base,
    label: 'llama-cpp-python',
    topKForNone: 0,
    neutralSampling: { min_p: 0, repeat_penalty: 1 },
    unlimitedTokens: -1,
    toolRequired: 'emulate',
    toolForced: 'emulate',
    jsonSchema: 'inJsonObject',
    streamUsage: false,
  },
  vllm: {
    ...base,
    label: 'vLLM',
    topKForNone: -1,
    neutralSampling: { min_p: 0, repetition_penalty: 1 },
    unlimitedTokens: null,
    n: 'pass',
    toolNone: 'pass',
  },
  lmstudio: {
    ...base,
    label: 'LM Studio',
    topKForNone: 0,
    neutralSampling: { repeat_penalty: 1 },
    unlimitedTokens: -1,
    toolForced: 'narrow',
    jsonObject: 'asSchema',
    logprobs: 'refuse',
  },
  openai: { ...base, label: 'OpenAI', n: 'pass', toolNone: 'pass' },
  generic: base,
};
