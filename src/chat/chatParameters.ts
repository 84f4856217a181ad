import * as z from 'zod';
import { endpointTaskOf } from '../api/schema/inference/endpoints.ts';
import { chatRequest, completionRequest, embeddingRequest } from '../api/schema/inference/schemas.ts';
import { decodeChecked, formatProblem } from '../api/schema/problems.ts';
import { l10n } from '../shared/l10n.ts';
import { systemPromptParameter } from './chatRequest.ts';
import type { Failure, Parameters, PlaygroundTask } from './conversationEvent.ts';
import { describeParameters, type ParameterField } from './parameterForm.ts';
import { linesParameters } from './playground.ts';

/** Minimal requests without parameters, so that parameters can be checked on their own. */
const requests = {
  chat: { schema: chatRequest, rest: { messages: [{ role: 'user', content: '-' }] } },
  completion: { schema: completionRequest, rest: { prompt: '-' } },
  embedding: { schema: embeddingRequest, rest: { input: '-' } },
};

const forms = new Map<PlaygroundTask | undefined, ParameterField[]>();

/** Returns the parameter form of a request, derived from the request's schema. */
export function parameterFields(task?: PlaygroundTask): ParameterField[] {
  const known = forms.get(task);
  if (known) return known;
  const { schema } = requests[task ?? 'chat'];
  const fields = describeParameters(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), ownField(task));
  forms.set(task, fields);
  return fields;
}

function ownField(task: PlaygroundTask | undefined): ParameterField {
  return task
    ? {
        name: linesParameters[task],
        kind: 'boolean',
        description:
          task === 'completion'
            ? l10n.t('Each line is a separate prompt. They are sent as a list.')
            : l10n.t('All lines are one text. Otherwise, each line is a separate text.'),
        defaultText: 'false',
      }
    : {
        name: systemPromptParameter,
        kind: 'text',
        description: l10n.t(
          'Instructions for the model. Sent as the first message of the conversation, with the role "system".',
        ),
      };
}

/**
 * Checks the parameters by the request's rules (Inference API, Chat request and Limits). Returns the failure, or `undefined` if they are
 * valid.
 */
export function checkParameters(parameters: Parameters, task?: PlaygroundTask): Failure | undefined {
  const { [systemPromptParameter]: _system, [linesParameters[task ?? 'completion']]: _lines, ...given } = parameters;
  const { schema, rest } = requests[task ?? 'chat'];
  const result = decodeChecked<z.ZodType>(schema, { ...rest, ...given });
  if (result.ok) return undefined;
  // One line for each problem: the form shows it at its field.
  return {
    kind: 'invalid',
    message: result.problems.map((problem) => formatProblem(problem)).join('\n'),
    remedy: l10n.t('Correct the value or leave the field empty.'),
  };
}

/** Returns the task of an endpoint that does not chat. An endpoint without a task may be a chat endpoint. */
export function playgroundTaskOf(word: string | undefined): PlaygroundTask | undefined {
  const task = endpointTaskOf(word);
  return task === 'chat' ? undefined : task;
}
