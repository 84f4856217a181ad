import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import type { ChatPorts, ChosenEndpoint } from './chatPorts.ts';
import type { Conversation } from './conversation.ts';
import type { ConversationStore } from './conversationStore.ts';
import { editorModelOf } from './editorModel.ts';
import type { EndpointCatalog } from './endpointCatalog.ts';
import { lookUpAuthor } from './lookUps.ts';
import type { OpenConversations } from './openConversations.ts';
import type { SeenEndpoint } from './protocol.ts';

/**
 * The endpoint that a conversation is sent to. It belongs to the conversation's profile; no other endpoint is used without the user's
 * consent.
 */
export class Recipient {
  readonly #ports: ChatPorts;
  readonly #conversations: OpenConversations;
  readonly #catalog: EndpointCatalog;

  constructor(ports: ChatPorts, conversations: OpenConversations, catalog: EndpointCatalog) {
    [this.#ports, this.#conversations, this.#catalog] = [ports, conversations, catalog];
  }

  /** Returns the chosen endpoint, or the service's first of the list: a model of the editor is used only if the user chose it; `store` is undefined for a conversation that has not begun. */
  endpointOf(store: ConversationStore | undefined): string | undefined {
    const { endpoint, task } = store?.conversation ?? this.#conversations.draft;
    return endpoint ?? this.#catalog.state.items.find((item) => item.task === task && !editorModelOf(item.name))?.name;
  }

  /** Returns the same endpoint with its task. */
  chosen(store: ConversationStore | undefined): ChosenEndpoint | undefined {
    const name = this.endpointOf(store);
    const { task } = store?.conversation ?? this.#conversations.draft;
    return name === undefined ? undefined : { name, task };
  }

  /** Lets the user pick one of these endpoints of the current list, or add a model. Returns `undefined` if the user left the conversation. */
  async pick(
    store: ConversationStore | undefined,
    isMeant: (item: ChosenEndpoint) => boolean,
  ): Promise<ChosenEndpoint | undefined> {
    const { editor, backend } = this.#ports;
    const id = this.#conversations.currentId;
    const items = this.#catalog.refresh({ start: true }).then(() => this.#catalog.state.items.filter(isMeant));
    const picked = await editor.pickEndpoint(items, this.chosen(store), backend.profile.isLocal);
    if (picked !== 'addModel') return picked;
    const added = await editor.addModel();
    if (added === undefined) return undefined;
    await this.#catalog.refresh({ start: true });
    if (id !== this.#conversations.currentId) return undefined;
    return this.#catalog.state.items.find(({ name }) => name === added);
  }

  /** Returns the name of the conversation's profile if it is not the current one. */
  otherProfile({ profile }: Conversation): string | undefined {
    return profile && profile.id !== this.#ports.backend.profile.id ? profile.name : undefined;
  }

  /**
   * Returns the endpoint to use for a text. Throws if there is none, or if the conversation belongs to another profile. A command needs no
   * endpoint.
   */
  require(store: ConversationStore | undefined, text: string): string {
    this.requireProfile(store);
    return this.requireEndpoint(store, text);
  }

  /**
   * Makes a conversation use the endpoint that the user saw, before a message is sent to it. Throws if a conversation that has not begun
   * would go to another profile than that of the endpoint.
   */
  async useSeen(id: string, seen: SeenEndpoint | undefined): Promise<void> {
    if (!seen) return;
    const { backend, drafts, clock } = this.#ports;
    const { profile, endpoint, task } = seen;
    const store = this.#conversations.get(id);
    if (!store && profile !== backend.profile.name)
      throw new AppError('invalid', l10n.t('The profile is now {0}, so nothing was sent.', backend.profile.name), {
        remedy: l10n.t('Check the endpoint below the prompt, then send again.'),
      });
    const isCurrent = id === this.#conversations.currentId;
    if ((store || isCurrent) && this.endpointOf(store) === endpoint) return;
    if (!store) void drafts.change(id, { endpoint, task });
    else if (store.conversation.task === task)
      await store.record({ type: 'endpointChosen', endpoint, task, atMs: clock.now() });
  }

  requireProfile(store: ConversationStore | undefined): void {
    const other = store && this.otherProfile(store.conversation);
    if (other === undefined) return;
    throw new AppError('invalid', l10n.t('This conversation belongs to {0}, so nothing was sent.', other), {
      remedy: l10n.t('Choose that profile, or continue with {0}.', this.#ports.backend.profile.name),
    });
  }

  requireEndpoint(store: ConversationStore | undefined, text: string): string {
    const endpoint = this.endpointOf(store);
    if (endpoint !== undefined) return endpoint;
    if (this.#ports.lookUps.isCommand(text)) return lookUpAuthor;
    const { failure } = this.#catalog.state;
    throw new AppError(
      'invalid',
      failure
        ? l10n.t('No endpoint is chosen, and the list could not be loaded: {0}', failure.message)
        : l10n.t('No endpoint is chosen, so nothing was sent.'),
      { remedy: failure?.remedy ?? l10n.t('Choose an endpoint below the prompt.') },
    );
  }
}
