import type { ChatRequest, ToolObject } from '../../../api/schema/inference/schemas.ts';
import { nodeOf } from '../../../shared/jsonSchema/schemaNode.ts';
import { generateJson } from '../jsonSchema/generateJson.ts';
import { invalidModelParameter } from '../modelErrors.ts';
import { newId, type WireToolCall } from '../wire.ts';
import { ownJobsTools } from './ownJobs.ts';
import { synonymsOf, termsOf } from './terms.ts';
import { argumentSource } from './valueSource.ts';

/** With `auto`, a tool is called when it covers at least this share of the question's words. */
const minRelevance = 0.5;

/**
 * Decides which function is called (Inference API, Chat request, tool_choice).
 * @param confidence how much of the question the documentation answers; `auto` calls a function only if that one is nearer
 * @returns undefined if the answer is a text
 */
export function chooseTool(request: ChatRequest, question: string, confidence: number): ToolObject | undefined {
  const choice = request.tool_choice ?? 'auto';
  // Which of the chat's own functions is called, and when, is known and not guessed.
  const tools = (request.tools ?? []).filter((tool) => choice !== 'auto' || !ownJobsTools.has(tool.function.name));
  if (tools.length === 0 || choice === 'none') return undefined;
  if (typeof choice === 'object') return tools.find((tool) => tool.function.name === choice.function.name);
  const ranked = tools
    .map((tool) => ({ tool, relevance: relevanceOf(tool, question) }))
    .sort((left, right) => right.relevance - left.relevance);
  if (choice === 'required') return ranked[0]?.tool;
  const answered = request.messages.at(-1)?.role === 'tool';
  const [best] = ranked;
  return best && !answered && best.relevance >= Math.max(minRelevance, confidence) ? best.tool : undefined;
}

function relevanceOf(tool: ToolObject, question: string): number {
  const { name, description, parameters } = tool.function;
  const own = new Set(
    termsOf(
      `${name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[-_]/g, ' ')} ${description} ` +
        `${Object.keys((parameters?.['properties'] as object | undefined) ?? {}).join(' ')}`,
    ),
  );
  const asked = [...new Set(termsOf(question))];
  const matched = asked.filter((term) => own.has(term) || [...synonymsOf(term)].some((synonym) => own.has(synonym)));
  return asked.length === 0 ? 0 : matched.length / asked.length;
}

/** A call whose arguments are known. */
export function namedCall({ name, arguments: given }: { name: string; arguments: object }): WireToolCall {
  return { id: newId('call'), type: 'function', function: { name, arguments: JSON.stringify(given) } };
}

/**
 * The call of a function with arguments that satisfy its schema.
 * @throws AppError with status 400 if no such arguments were found
 */
export function callTool(tool: ToolObject, question: string): WireToolCall {
  const { name, parameters } = tool.function;
  const generated = generateJson(nodeOf({ type: 'object', ...parameters }), argumentSource(question));
  if (!generated)
    throw invalidModelParameter(
      `The built-in guide found no arguments that satisfy the schema of the function "${name}". Simplify its parameters or use a language model.`,
    );
  return namedCall({ name, arguments: generated.value as object });
}
