import type * as z from 'zod';
import {
  chatRequest,
  type ChatRequest,
  completionRequest,
  embeddingRequest,
} from '../../api/schema/inference/schemas.ts';
import { decodeChecked, formatProblems } from '../../api/schema/problems.ts';
import { type Fields, isFields } from '../../shared/fields.ts';
import { stringifyJson } from '../../shared/json.ts';
import { findExcess } from '../../shared/jsonExtent.ts';
import { withoutTopNulls } from '../../shared/withoutNullFields.ts';
import type { ServedEndpoint } from './endpoint.ts';
import { invalidModelParameter } from './modelErrors.ts';
import type { ModelBackend, ModelCall, ModelAnswer } from './modelTypes.ts';

/** Validates a body by the endpoint's task and kind, and passes it to the backend. */
export async function answerBody(
  endpoint: ServedEndpoint,
  backend: ModelBackend,
  body: unknown,
  call: ModelCall,
): Promise<ModelAnswer> {
  const fields = fieldsOf(body, endpoint);
  checkKind(endpoint, fields);
  switch (backend.task) {
    case 'chat':
      return await backend.answer(checkedCalls(parse(chatRequest, fields)), call);
    case 'completion':
      return await backend.answer(parse(completionRequest, fields), call);
    case 'embedding':
      return await backend.answer(parse(embeddingRequest, fields), call);
  }
}

function fieldsOf(body: unknown, endpoint: ServedEndpoint): Fields {
  if (!isFields(body)) throw invalidModelParameter('The body must be a JSON object.');
  const fields = plainRequest(body);
  const expected = { chat: 'messages', completion: 'prompt', embedding: 'input' }[endpoint.task];
  const other = ['messages', 'prompt', 'input'].find((name) => name !== expected && fields[name] !== undefined);
  if (fields[expected] === undefined && other !== undefined) {
    throw invalidModelParameter(
      `The endpoint "${endpoint.name}" has the task ${endpoint.task} and takes "${expected}", not ` +
        `"${other}". Use an endpoint of the task that goes with "${other}".`,
    );
  }
  return fields;
}

/** Rules that depend on the kind of endpoint (Inference API, Chat request and Completion request). */
function checkKind(endpoint: ServedEndpoint, fields: Fields): void {
  const { n } = fields;
  if (endpoint.kind === 'pay-per-token' && typeof n === 'number' && n > 1) {
    throw invalidModelParameter(
      `n is ${n}, and "${endpoint.name}" is a pay-per-token endpoint: n is only available on provisioned ` +
        'throughput endpoints. Leave it out, or create one with POST /api/2.0/serving-endpoints.',
    );
  }
  if (endpoint.kind === 'provisioned' && endpoint.task === 'completion' && fields['error_behavior'] !== undefined) {
    throw invalidModelParameter(
      `error_behavior is accepted only by pay-per-token endpoints, and "${endpoint.name}" is a provisioned one. Leave it out.`,
    );
  }
  if (endpoint.task === 'completion' && fields['logprobs'] !== undefined && fields['logprobs'] !== false) {
    throw invalidModelParameter(
      'logprobs is not a field of completion requests, and completions carry no log probabilities. Leave it out, or ask a chat endpoint.',
    );
  }
  if (endpoint.task === 'embedding' && fields['stream'] === true) {
    throw invalidModelParameter('Embedding endpoints do not support streamed responses. Leave stream out.');
  }
}

/**
 * Checks tool calls (Inference API, FunctionCallCompletion) here and not in the schema, because a client that passes on a model's call must
 * not be rejected by its own schema.
 */
function checkedCalls(request: ChatRequest): ChatRequest {
  for (const [index, message] of request.messages.entries()) {
    const wrong = (message.tool_calls ?? []).findIndex((call) => !isDictionary(call.function.arguments));
    if (wrong < 0) continue;
    throw invalidModelParameter(
      `messages[${index}].tool_calls[${wrong}].function.arguments: must be a JSON object as text, such as {"city": "Oslo"}.`,
    );
  }
  return request;
}

/** No function takes more arguments. They are parsed between other requests. */
const argumentLimits = { maxValues: 20_000, maxDepth: 200 };

/** Returns whether a text is a JSON object. An empty text stands for an empty object, as clients send it. */
function isDictionary(text: string): boolean {
  if (text.trim() === '') return true;
  if (!text.trimStart().startsWith('{') || findExcess(text, argumentLimits) !== undefined) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const maxIssues = 3;

/** Parses a value with the schema. @throws AppError that names each broken rule, its place and what is allowed */
export function parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const checked = decodeChecked(schema, value);
  if (checked.ok) return checked.value;
  throw invalidModelParameter(formatProblems(checked.problems, maxIssues));
}

/**
 * Normalizes the forms in which clients write a request to the one that the schemas expect: null fields are left out, the arguments of a
 * tool call become text, and a forced tool in the document's literal form `{type, function: {type, function: {name}}}` is unwrapped
 * (Inference API, FunctionCallCompletion and ToolChoiceObject).
 */
function plainRequest(body: Fields): Fields {
  const fields = { ...withoutTopNulls(body) };
  if (Array.isArray(fields['messages'])) fields['messages'] = fields['messages'].map(plainMessage);
  if (Array.isArray(fields['tools'])) fields['tools'] = fields['tools'].map(plainTool);
  if (isFields(fields['tool_choice'])) fields['tool_choice'] = plainChoice(fields['tool_choice']);
  return fields;
}

function plainMessage(message: unknown): unknown {
  if (!isFields(message) || !Array.isArray(message['tool_calls'])) return message;
  return { ...message, tool_calls: message['tool_calls'].map(plainCall) };
}

function plainCall(call: unknown): unknown {
  if (!isFields(call) || !isFields(call['function']) || !isFields(call['function']['arguments'])) return call;
  return { ...call, function: { ...call['function'], arguments: stringifyJson(call['function']['arguments']) } };
}

function plainTool(tool: unknown): unknown {
  if (!isFields(tool) || !isFields(tool['function'])) return tool;
  return { ...tool, function: withoutTopNulls(tool['function']) };
}

function plainChoice(choice: Fields): Fields {
  const inner = choice['function'];
  return isFields(inner) && isFields(inner['function']) ? { ...choice, function: inner['function'] } : choice;
}
