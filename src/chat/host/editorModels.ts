import * as vscode from 'vscode';
import type { ChatChunk, ChatMessage, ChatRequest } from '../../api/schema/inference/schemas.ts';
import { AppError } from '../../shared/errors.ts';
import type { ChatBackend } from '../chatPorts.ts';
import { editorModelOf, type EditorModels, nameOfEditorModel } from '../editorModel.ts';
import type { Endpoint } from '../protocol.ts';

/** Vendor of the models that this extension offers in the editor. */
const ownVendor = 'millrace';

export const editorModels: EditorModels = { list: listModels, chat: ask };

/**
 * Adds the editor's own language models to a service's chat endpoints. They are listed when the user is about to choose one, and the
 * editor asks for consent at the first request.
 */
export function withEditorModels(service: ChatBackend): ChatBackend & vscode.Disposable {
  let models: Endpoint[] = [];
  const subscription = vscode.lm.onDidChangeChatModels(() => (models = []));
  return {
    get profile() {
      return service.profile;
    },
    onDidChangeProfile: service.onDidChangeProfile,
    address: () => service.address(),
    get knownEndpoints() {
      return [...service.knownEndpoints, ...models];
    },
    async listEndpoints(options) {
      const listing = options.start ? listModels() : Promise.resolve(models);
      try {
        const list = await service.listEndpoints(options);
        return { ...list, items: [...list.items, ...(await listing)] };
      } finally {
        // Even if the service does not respond, the models can be chosen.
        models = await listing;
      }
    },
    async chat(endpoint, request, options) {
      if (request.task || !editorModelOf(endpoint)) return service.chat(endpoint, request, options);
      return ask(endpoint, request.body, options.signal);
    },
    dispose: () => subscription.dispose(),
  };
}

async function listModels(): Promise<Endpoint[]> {
  // Models are an addition: whatever another extension does, the endpoints of the service are listed.
  const models = await Promise.resolve(vscode.lm.selectChatModels()).catch(() => []);
  return models.flatMap(({ id, vendor, name, maxInputTokens }) =>
    vendor === ownVendor
      ? []
      : [
          {
            name: nameOfEditorModel({ id, vendor }),
            server: vscode.l10n.t('in the editor'),
            detail: `${name}, ${vendor}`,
            contextLength: maxInputTokens,
          },
        ],
  );
}

async function find(endpoint: string): Promise<vscode.LanguageModelChat> {
  const [model] = await vscode.lm.selectChatModels(editorModelOf(endpoint));
  if (model) return model;
  throw new AppError('notFound', vscode.l10n.t('The editor has no model {0}.', endpoint), {
    remedy: vscode.l10n.t('Sign in to the extension that provides it, or choose another endpoint.'),
  });
}

async function* ask(
  endpoint: string,
  { messages, stream: _stream, tools, tool_choice: choice, ...modelOptions }: ChatRequest,
  signal: AbortSignal,
): AsyncGenerator<ChatChunk> {
  const model = await find(endpoint);
  const cancellation = new vscode.CancellationTokenSource();
  const cancel = (): void => cancellation.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  let calls = 0;
  try {
    const { stream } = await model.sendRequest(
      messages.map(messageOf),
      {
        justification: vscode.l10n.t('The Millrace chat sends your message to this model.'),
        modelOptions,
        ...(tools && {
          tools: tools.map(({ function: { name, description, parameters } }) => ({
            name,
            description,
            inputSchema: parameters,
          })),
          ...(choice === 'required' && { toolMode: vscode.LanguageModelChatToolMode.Required }),
        }),
      },
      cancellation.token,
    );
    for await (const part of stream) {
      if (part instanceof vscode.LanguageModelTextPart) yield chunk(model, { content: part.value });
      if (part instanceof vscode.LanguageModelToolCallPart)
        yield chunk(model, {
          tool_calls: [
            {
              index: calls++,
              id: part.callId,
              type: 'function',
              function: { name: part.name, arguments: JSON.stringify(part.input) },
            },
          ],
        });
    }
    yield chunk(model, {}, calls > 0 ? 'tool_calls' : 'stop');
  } catch (error) {
    throw worded(error, endpoint);
  } finally {
    signal.removeEventListener('abort', cancel);
    // If the reader has left, the model stops.
    cancellation.cancel();
    cancellation.dispose();
  }
}

type Delta = NonNullable<NonNullable<ChatChunk['choices']>[number]['delta']>;

function chunk({ name }: vscode.LanguageModelChat, delta: Delta, reason?: 'stop' | 'tool_calls'): ChatChunk {
  return { model: name, choices: [{ index: 0, delta, ...(reason && { finish_reason: reason }) }] };
}

/** Converts a message of the chat, whose content is one text. The editor has no role for a system prompt, so that is sent as the user's. */
function messageOf({
  role,
  content,
  tool_calls: calls,
  tool_call_id: id,
}: ChatMessage): vscode.LanguageModelChatMessage {
  const text = new vscode.LanguageModelTextPart(typeof content === 'string' ? content : '');
  if (role === 'tool')
    return vscode.LanguageModelChatMessage.User([new vscode.LanguageModelToolResultPart(id ?? '', [text])]);
  if (role !== 'assistant') return vscode.LanguageModelChatMessage.User([text]);
  return vscode.LanguageModelChatMessage.Assistant(
    calls?.map(
      (call) => new vscode.LanguageModelToolCallPart(call.id, call.function.name, JSON.parse(call.function.arguments)),
    ) ?? [text],
  );
}

function worded(error: unknown, endpoint: string): unknown {
  if (!(error instanceof vscode.LanguageModelError)) return error;
  const options = { cause: error };
  switch (error.code) {
    case vscode.LanguageModelError.NoPermissions.name:
      return new AppError('forbidden', vscode.l10n.t('You have not allowed Millrace to use {0}.', endpoint), {
        ...options,
        remedy: vscode.l10n.t('Ask again and allow it, or choose another endpoint.'),
      });
    case vscode.LanguageModelError.Blocked.name:
      return new AppError('rateLimited', vscode.l10n.t('The editor blocks requests to {0}.', endpoint), {
        ...options,
        remedy: vscode.l10n.t('The quota may be used up. Wait a moment, or choose another endpoint.'),
      });
    case vscode.LanguageModelError.NotFound.name:
      return new AppError('notFound', vscode.l10n.t('The editor no longer has the model {0}.', endpoint), {
        ...options,
        remedy: vscode.l10n.t('Choose another endpoint.'),
      });
  }
  return new AppError('server', vscode.l10n.t('{0} failed: {1}', endpoint, error.message), {
    ...options,
    remedy: vscode.l10n.t('Ask again.'),
  });
}
