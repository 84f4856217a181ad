import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import { areAgentsOn } from '../../shared/agentsSetting.ts';
import { AppError, describeError, toAppError } from '../../shared/errors.ts';

/** Tokens that a model is assumed to take and to write: services do not tell theirs. */
const maxInputTokens = 100_000;
const maxOutputTokens = 16_000;
/** Average characters of a token, for an estimate. */
const charactersPerToken = 4;

interface Model extends vscode.LanguageModelChatInformation {
  readonly profileId: string;
  readonly endpoint: string;
}

/**
 * Offers the chat endpoints of the current profile in the editor's own model picker. Listing them starts no service; a request goes to the
 * profile that the model was listed for. Nothing is loaded before the editor asks.
 */
export function registerLanguageModels({ connections }: { connections: ConnectionService }): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const subscription = connections.onDidChange(() => changed.fire());
  return vscode.Disposable.from(
    changed,
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('millrace.agents.enabled')) changed.fire();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
    new vscode.Disposable(() => subscription.dispose()),
    vscode.lm.registerLanguageModelChatProvider('millrace', {
      onDidChangeLanguageModelChatInformation: changed.event,
      provideLanguageModelChatInformation: (_options, token) =>
        areAgentsOn(vscode.workspace) ? stoppable(token, (signal) => listModels(connections, signal)) : [],
      provideLanguageModelChatResponse: (model: Model, messages, options, progress, token) =>
        stoppable(token, (signal) => answer(connections, model, { messages, options, progress, signal })),
      async provideTokenCount(_model, text) {
        const { textOfMessage } = await import('./editorRequest.ts');
        const { length } = typeof text === 'string' ? text : textOfMessage(text);
        return Math.ceil(length / charactersPerToken);
      },
    }),
  );
}

async function listModels(connections: ConnectionService, signal: AbortSignal): Promise<Model[]> {
  const { ConnectionBackend } = await import('./connectionBackend.ts');
  const { id: profileId, name: profile, kind } = connections.current;
  const { items } = await new ConnectionBackend(connections).listEndpoints({ signal, start: false });
  return items
    .filter(({ name, task }) => task === undefined && !(kind === 'local' && name === 'guide'))
    .map(({ name }) => ({
      id: `${profileId}/${name}`,
      name,
      family: name,
      version: '1',
      detail: profile,
      tooltip: vscode.l10n.t('{0} on {1}, by Millrace', name, profile),
      maxInputTokens,
      maxOutputTokens,
      capabilities: { toolCalling: true, imageInput: true },
      profileId,
      endpoint: name,
    }));
}

interface Request {
  readonly messages: readonly vscode.LanguageModelChatRequestMessage[];
  readonly options: vscode.ProvideLanguageModelChatResponseOptions;
  readonly progress: vscode.Progress<vscode.LanguageModelResponsePart>;
  readonly signal: AbortSignal;
}

async function answer(
  connections: ConnectionService,
  { profileId, endpoint }: Model,
  { messages, options, progress, signal }: Request,
): Promise<void> {
  if (!areAgentsOn(vscode.workspace))
    throw new AppError('unavailable', vscode.l10n.t('Agents are turned off in this window; nothing was done.'));
  const [connection, { chatRequestOf }] = await Promise.all([
    connections.connectTo(profileId, { signal, byUser: true }),
    import('./editorRequest.ts'),
  ]);
  if (!connection) throw new AppError('notFound', vscode.l10n.t('The profile of this model no longer exists.'));
  const { tools, modelOptions, toolMode } = options;
  const isToolRequired = toolMode === vscode.LanguageModelChatToolMode.Required;
  const request = chatRequestOf(messages, { tools, modelOptions, isToolRequired });
  const calls: { id: string; name: string; text: string }[] = [];
  for await (const { choices } of connection.client.inference.streamChat(endpoint, request, { signal })) {
    const { content, tool_calls: deltas } = choices?.[0]?.delta ?? {};
    if (typeof content === 'string' && content !== '') progress.report(new vscode.LanguageModelTextPart(content));
    for (const { index = 0, id, function: called } of deltas ?? []) {
      const call = (calls[index] ??= { id: id ?? `call-${index}`, name: '', text: '' });
      call.name += called?.name ?? '';
      call.text += called?.arguments ?? '';
    }
  }
  for (const { id, name, text } of calls.filter((call) => call.name !== ''))
    progress.report(new vscode.LanguageModelToolCallPart(id, name, JSON.parse(text || '{}') as object));
}

/** Runs a task that the token stops; its errors are worded for the editor, which shows only their message. */
async function stoppable<T>(token: vscode.CancellationToken, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const cancellation = token.onCancellationRequested(() => controller.abort());
  try {
    return await task(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw new vscode.CancellationError();
    throw new Error(describeError(toAppError(error)), { cause: error });
  } finally {
    cancellation.dispose();
  }
}
