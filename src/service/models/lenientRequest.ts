import { isFields, type Fields } from '../../shared/fields.ts';
import { stringifyJson } from '../../shared/json.ts';
import { withoutTopNulls } from '../../shared/withoutNullFields.ts';

/**
 * The forms in which clients write the same request, as the one that the schemas have: a field that is null as if it were
 * left out, the arguments of a tool call as an object, and a forced tool in the document's literal form
 * `{type, function: {type, function: {name}}}` (Inference API, FunctionCallCompletion and ToolChoiceObject).
 */
export function plainRequest(body: Fields): Fields {
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
