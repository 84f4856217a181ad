import { sureTopic, type Topic, topic } from './topic.ts';

/** Topics about models and Millrace itself. */
export const modelTopics: readonly Topic[] = [
  topic(
    'chat',
    'Chat requests',
    'chat request messages role system user assistant invoke model call endpoint invocations curl',
    '`POST /serving-endpoints/{name}/invocations` with `messages`. Roles are system (once, as the first ' +
      'message), user, assistant and tool. Without `"stream": true` the whole answer comes at once.',
    ['messages', 'messages[].role', 'max_tokens', 'temperature', 'stop'],
  ),
  topic(
    'tools',
    'Functions that a model may call',
    'tool tools function calling tool_choice required auto none forced',
    'List at most 32 functions in `tools`, each with at most 15 properties. `tool_choice` is `auto` (the ' +
      "default with tools), `required`, `none`, or an object that forces one function. The answer's " +
      '`tool_calls` carry the arguments as JSON text; answer each with a message of the role tool and its ' +
      '`tool_call_id`.',
    ['tools', 'tool_choice', 'messages[].tool_call_id'],
  ),
  sureTopic(
    [/\b(?:get|as|in|return\w*|answers?|valid) json\b/i, /\bjson (?:back|answers?|output|object|mode)\b/i],
    'structured',
    'Answers as JSON',
    'json schema structured output response_format json_object format',
    '`response_format` of the type `json_schema` makes the answer follow a schema, `json_object` makes it valid JSON without a particular one.',
    ['response_format.type', 'response_format.json_schema'],
  ),
  sureTopic(
    [/\bstop[- _]?(?:sequences?|words?|strings?|tokens?|phrases?)\b/i],
    'stop',
    'Stop sequences',
    'stop sequence',
    '`stop`, a text or a list of texts, ends the answer before the first of them: `"stop": ["END"]`. In the chat it is behind the sliders below the prompt.',
    ['stop'],
  ),
  topic(
    'logprobs',
    'Log probabilities',
    'logprobs log probability top_logprobs candidates token',
    'Set `logprobs` to true, and `top_logprobs` to 0 to 20 for the most likely candidates at each step.',
    ['logprobs', 'top_logprobs'],
  ),
  sureTopic(
    [/\btop_?[pk]\b/i, /\btemperature\b(?!.{0,20}\b(?:in|outside|today|tomorrow)\b)/i],
    'sampling',
    'Sampling',
    'temperature top_p top_k sampling random deterministic creative',
    '`temperature` (0 to 2) adds randomness, 0 is deterministic. `top_p` (above 0, up to 1) and `top_k` ' +
      'limit the tokens that are drawn from; `top_k: 1` is deterministic too.',
    ['temperature', 'top_p', 'top_k'],
  ),
  topic(
    'completion',
    'Completion requests',
    'completion prompt echo suffix use_raw_prompt error_behavior text',
    "`prompt` is a text or a list of independent ones; a choice's `index` is that of its prompt. `echo` " +
      'repeats the prompt, `suffix` is appended to every completion, `use_raw_prompt` sends the prompt ' +
      'without any transformation, and `error_behavior` says what happens at time-outs and full contexts.',
    ['prompt', 'echo', 'suffix', 'error_behavior', 'use_raw_prompt'],
  ),
  sureTopic(
    [/(?<!compare )\b(?:\d+|two|three|several|multiple|many) (?:answers|completions|choices|replies)\b/i],
    'endpoint-kinds',
    'Kinds of endpoint',
    'endpoint pay per token provisioned throughput create serving traffic n',
    'Pay-per-token endpoints exist in advance; provisioned throughput endpoints are created with `POST ' +
      '/api/2.0/serving-endpoints` and may serve several models of the same task. `n` works on provisioned ' +
      'ones only, `error_behavior` on pay-per-token ones only.',
    ['config', 'n', 'error_behavior'],
  ),
  sureTopic(
    [
      /\b(?:openai|gpt|claude|anthropic|gemini|mistral|qwen|o?llama|vllm|lm ?studio)\b/i,
      /\b(?:model|server)\b.{0,40}https?:\/\/\S{1,60}\/v1\b/i,
    ],
    'upstreams',
    'Using a real language model',
    'real language model llm connect upstream ollama llama.cpp vllm lm studio own models.json openai configure local',
    'Start Ollama, llama.cpp, vLLM or LM Studio on this machine and its models appear as endpoints by ' +
      "themselves. A server elsewhere is written into `models.json` in the service's data folder: " +
      '`{"upstreams": [{"name": "lab", "kind": "vllm", "baseUrl": "http://host:8000/v1", "models": "all", ' +
      '"apiKeyVariable": "LAB_KEY"}]}`; for OpenAI the kind is `openai` and the address `https://api.openai.com/v1`. The key itself stays in ' +
      'the environment variable.',
    ['millrace.local.discoverModels'],
  ),
  topic(
    'local-service',
    'The local service',
    'local service start serve profile without account data folder token port change address',
    'The profile **Local** starts a service on this machine by itself: no account, no setting. It runs ' +
      'Python files and notebooks with your own python3 and keeps jobs and runs in its data folder. Its port is any that is free: ' +
      '**Copy Address of the Local Service** tells it. Its token, for other programs, is in `service.json` beside the file that **Show Log of ' +
      'the Local Service** opens. Outside the editor: `millrace serve --port 8080`.',
    [],
  ),
];
