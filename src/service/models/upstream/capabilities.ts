/**
 * What each kind of model server does with the fields of the Inference API. Such servers drop silently what they do
 * not know and have defaults of their own; so every field is passed on, emulated or refused, and every sampling value
 * is sent.
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
  /** The value of `top_k` that means "no limit"; undefined if the field is not known, and then only 1 can be emulated. */
  readonly topKForNone: number | undefined;
  /** Sent with every request: values that make the server's own sampling defaults neutral. */
  readonly neutralSampling: Readonly<Record<string, number>>;
  /** `max_tokens` for "no limit" on the completions route; undefined: left out. */
  readonly unlimitedTokens: number | null | undefined;
  readonly n: 'pass' | 'emulate';
  /** `askTemplate`: the server tells whether the model's template knows functions; if it does not, it drops them. */
  readonly tools: 'pass' | 'askTemplate';
  /** `tool_choice: required`. Emulated by an answer in JSON that becomes the call. */
  readonly toolRequired: 'pass' | 'emulate';
  /** One forced function. `narrow`: only that function is offered, and a call required. */
  readonly toolForced: 'pass' | 'narrow' | 'emulate';
  /** `tool_choice: none`. `omit`: the functions are not sent. */
  readonly toolNone: 'pass' | 'omit';
  /** `json_object`. `asSchema`: as the schema of any object. */
  readonly jsonObject: 'pass' | 'asSchema';
  /** `json_schema`. `inJsonObject`: as `{type: json_object, schema}`. */
  readonly jsonSchema: 'pass' | 'inJsonObject';
  /** An answer without them is an error in either case. */
  readonly logprobs: 'pass' | 'refuse';
  /** Where a prompt goes that must not be transformed. */
  readonly rawPrompt: 'completions' | 'ollamaGenerate';
  /** Whether `stream_options: {include_usage: true}` is understood. */
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
