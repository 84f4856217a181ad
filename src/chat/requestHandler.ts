import * as z from 'zod/mini';
import { AppError, describeError } from '../shared/errors.ts';
import { fieldsOf } from '../shared/fields.ts';
import { l10n } from '../shared/l10n.ts';
import type { Logger } from '../shared/log.ts';
import { shortened } from '../shared/text.ts';
import type { ChatService } from './chatService.ts';
import type { CommandCompletion } from './conversationEvent.ts';
import { externalLink } from './externalLink.ts';
import { acceptedParameters } from './playground.ts';
import { requestParams, requestSchema, type Method, type ParamsOf, type Reply, type Snapshot } from './protocol.ts';
import { toFailure } from './session.ts';

/** Schemas of each method's parameters. */
const schemas: { [M in Method]: z.ZodMiniType<ParamsOf<M>> } = requestParams;

/** A snapshot, completions, or nothing. */
type Result = Snapshot | readonly CommandCompletion[] | void;

type Handlers = { [M in Method]: (params: ParamsOf<M>) => Promise<Result> | void };

/**
 * Replies to the view. Nothing from the view is trusted: the envelope and the parameters are parsed, only listed methods are called, and
 * every message, however damaged, gets exactly one reply.
 */
export class RequestHandler {
  readonly #handlers: Handlers;
  readonly #log: Logger;

  constructor(service: ChatService, log: Logger) {
    this.#log = log;
    this.#handlers = handlersFor(service);
  }

  async handle(message: unknown): Promise<Reply> {
    const parsed = requestSchema.safeParse(message);
    if (!parsed.success)
      return {
        type: 'reply',
        id: idOf(message),
        failure: refusal(
          `The chat view sent a message that is not understood; nothing was done: ${shorten(z.prettifyError(parsed.error))}`,
        ),
      };
    const { id, method, params } = parsed.data;
    try {
      const result = await this.#call(method, params);
      if (!result) return { type: 'reply', id };
      return 'sequence' in result
        ? { type: 'reply', id, snapshot: result }
        : { type: 'reply', id, completions: result };
    } catch (error) {
      this.#log.debug(`Chat request ${method}: ${describeError(error)}`);
      return { type: 'reply', id, failure: toFailure(error) };
    }
  }

  async #call<M extends Method>(method: M, params: unknown): Promise<Result> {
    const parsed = schemas[method].safeParse(params);
    if (!parsed.success)
      throw new AppError(
        'invalid',
        l10n.t('The chat view sent the request "{0}" with invalid parameters, so nothing was done.', method),
      );
    return this.#handlers[method](parsed.data);
  }
}

function handlersFor(service: ChatService): Handlers {
  const { editor } = service;
  return {
    ready: () => service.snapshot(),
    send: ({ id, text, toolResults, seen }) => service.asking.send(text, toolResults, id, seen),
    editAndResend: ({ turnId, text }) => service.asking.editAndResend(turnId, text),
    regenerate: ({ turnId }) => service.asking.regenerate(turnId),
    askElsewhere: ({ turnId }) => service.askElsewhere(turnId),
    moreOfAnswer: ({ turnId, showsExchange }) => service.answers.more(turnId, showsExchange),
    takeRoom: ({ way }) => service.takeRoom(way),
    signIn: () => editor.signIn(),
    setKey: ({ turnId }) => service.asking.setKey(turnId),
    stop: () => service.asking.stop(),
    changeDraft: ({ id, atMs, text, edit, toolResults }) =>
      service.prompt.keep(id, {
        ...(atMs !== undefined && { atMs }),
        ...(text !== undefined && { text }),
        ...(edit !== undefined && { edit: edit ?? undefined }),
        ...(toolResults !== undefined && { toolResults: toolResults ?? undefined }),
      }),
    sendQueued: () => service.asking.sendQueued(),
    takeBack: ({ id, edit }) => service.prompt.takeBack(id, edit),
    adoptProfile: () => service.adoptProfile(),
    retryNow: () => service.asking.retryNow(),
    selectVariant: ({ turnId }) => service.selectVariant(turnId),
    selectChoice: ({ turnId, choice }) => service.selectChoice(turnId, choice),
    chooseEndpoint: () => service.chooseEndpoint(),
    refreshEndpoints: () => service.refreshEndpoints(),
    chooseProfile: () => editor.chooseProfile(),
    parameterFromFile: ({ name }) => service.parameterFromFile(name),
    setParameters: ({ parameters }) => service.setParameters(parameters),
    choosePreset: async () => {
      const { view } = await service.snapshot();
      const chosen = await editor.pickPreset(view.parameters);
      if (chosen) await service.setParameters(acceptedParameters(chosen, view.parameterFields));
    },
    openConversation: ({ id }) => service.openConversation(id),
    showHistory: () => editor.showHistory(),
    openLink: ({ url }) => {
      const link = externalLink(url);
      if (link === undefined)
        throw new AppError(
          'invalid',
          l10n.t('This link was not opened, because only plain http and https addresses are.'),
        );
      return editor.openExternal(link);
    },
    copy: ({ text }) => editor.copy(text),
    insertAtCursor: ({ text }) => editor.insertAtCursor(text),
    newFile: ({ text, language }) => editor.newFile(service.answers.code(text, language)),
    applyCode: ({ text, language }) => editor.applyCode(service.answers.code(text, language)),
    attachContext: (params) => service.prompt.attachContext(params),
    removeAttachment: ({ index }) => service.prompt.removeAttachment(index),
    dismissNotice: () => service.dismissNotice(),
    runTools: ({ turnId, isAllowed }) => service.asking.runTools(turnId, isAllowed),
    chooseTools: () => service.chooseTools(),
    openSection: ({ section }) => service.lookUps.openSection(section),
    complete: ({ text }) => {
      if (!text.startsWith('#')) return service.lookUps.complete(text);
      const begun = text.slice(1);
      return editor.completeContext(begun, service.lookUps.completeNames(begun));
    },
    openRun: (run) => service.tools.openRun(run),
    takeSuggestion: ({ title }) => service.timely.take(title),
  };
}

/** Returns the id to reply to, if the damaged message contains a valid one. */
function idOf(message: unknown): number | null {
  const id = fieldsOf(message)?.['id'];
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : null;
}

function refusal(message: string): Reply['failure'] {
  return { kind: 'protocol', message, remedy: l10n.t('Close the view and open it again.') };
}

function shorten(text: string): string {
  return shortened(text.replaceAll('\n', ' '), 300);
}
