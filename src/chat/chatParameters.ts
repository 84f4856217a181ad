import * as z from 'zod';
import { endpointTaskOf } from '../api/schema/inference/endpoints.ts';
import { chatRequest, completionRequest, embeddingRequest } from '../api/schema/inference/schemas.ts';
import { decodeChecked, formatProblem } from '../api/schema/problems.ts';
import { l10n } from '../shared/l10n.ts';
import { systemPromptParameter } from './chatRequest.ts';
import type { Failure, Parameters, PlaygroundTask } from './conversationEvent.ts';
import { describeParameters, type ParameterField } from './parameterForm.ts';
import { eachLineParameter } from './playground.ts';

/** What a request is besides its parameters, so that those can be checked alone. */
const requests = {
  chat: { schema: chatRequest, rest: { messages: [{ role: 'user', content: '-' }] } },
  completion: { schema: completionRequest, rest: { prompt: '-' } },
  embedding: { schema: embeddingRequest, rest: { input: '-' } },
};

const forms = new Map<PlaygroundTask | undefined, ParameterField[]>();

/** The parameter form of a request, from the request's own schema. */
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
        name: eachLineParameter,
        kind: 'boolean',
        description:
          task === 'completion'
            ? l10n.t('Each line is a separate prompt. They are sent as a list.')
            : l10n.t('Each line is a separate text. They are sent as a list.'),
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

/** What is wrong with the parameters by the request's rules (Inference API, Chat request and Limits), or undefined. */
export function checkParameters(parameters: Parameters, task?: PlaygroundTask): Failure | undefined {
  const { [systemPromptParameter]: _system, [eachLineParameter]: _eachLine, ...given } = parameters;
  const { schema, rest } = requests[task ?? 'chat'];
  const result = decodeChecked<z.ZodType>(schema, { ...rest, ...given });
  if (result.ok) return undefined;
  // One line for each: the form shows it at its field.
  return {
    kind: 'invalid',
    message: result.problems.map((problem) => formatProblem(problem)).join('\n'),
    remedy: l10n.t('Correct the value or leave the field empty.'),
  };
}

/** What an endpoint does that does not chat. A task that is not named may well be chat. */
export function playgroundTaskOf(word: string | undefined): PlaygroundTask | undefined {
  const task = endpointTaskOf(word);
  return task === 'chat' ? undefined : task;
}
