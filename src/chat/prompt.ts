import { AppError } from '../shared/errors.ts';
import { Emitter, type Event } from '../shared/event.ts';
import { l10n } from '../shared/l10n.ts';
import { paragraphs } from '../shared/text.ts';
import type { ChatPorts } from './chatPorts.ts';
import type { Attachment } from './conversationEvent.ts';
import type { Draft } from './draft.ts';
import type { OpenConversations } from './openConversations.ts';
import type { HostMessage, ParamsOf } from './protocol.ts';

/** The unsent input of the conversation on screen: text, attachments and queued messages. */
export class Prompt {
  readonly #ports: ChatPorts;
  readonly #conversations: OpenConversations;
  readonly #changed = new Emitter<void>();
  readonly #messages = new Emitter<HostMessage>();
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly onDidPost: Event<HostMessage> = this.#messages.event;

  constructor(ports: ChatPorts, conversations: OpenConversations) {
    this.#ports = ports;
    this.#conversations = conversations;
  }

  get draft(): Draft {
    return this.#conversations.draft;
  }

  change(change: Partial<Draft>, id = this.#conversations.currentId): void {
    void this.#ports.drafts.change(id, change);
    // Write at once: attachments are rare compared with typing, and larger.
    void this.#ports.drafts.flush();
    if (id === this.#conversations.currentId) this.#changed.fire();
  }

  /** Stores the user's draft, unless no window has the conversation open. Resolves when it is on disk. */
  async keep(id: string, change: Pick<Partial<Draft>, 'text' | 'edit' | 'toolResults' | 'atMs'>): Promise<void> {
    if (id === this.#conversations.currentId || this.#ports.drafts.has(id)) await this.#ports.drafts.change(id, change);
  }

  /** Removes a message from the queue; `edit` moves it back into the prompt. */
  takeBack(queuedId: string, edit: boolean): void {
    const { draft } = this.#conversations;
    const taken = draft.queue.find(({ id }) => id === queuedId);
    if (!taken) return;
    const queue = draft.queue.filter((message) => message !== taken);
    if (!edit) {
      this.change({ queue });
      return;
    }
    const text = paragraphs(taken.text, draft.text);
    this.change({ queue, text, attachments: [...taken.attachments, ...draft.attachments] });
    this.#messages.fire({ type: 'draft', text });
  }

  attach(attachment: Attachment): void {
    const { attachments } = this.#conversations.draft;
    // Attaching the same text twice adds nothing.
    if (!attachments.some(({ label, text }) => label === attachment.label && text === attachment.text))
      this.change({ attachments: [...attachments, attachment] });
    this.#messages.fire({ type: 'focusPrompt' });
  }

  /** Attaches files, or what has a name, or lets the user choose what to attach to the next message. */
  async attachContext({ uris, named }: NonNullable<ParamsOf<'attachContext'>> = {}): Promise<void> {
    const { editor } = this.#ports;
    const found = await (named === undefined ? editor.pickContext(uris) : editor.namedContext(named));
    for (const attachment of found) this.attach(attachment);
    this.#messages.fire({ type: 'focusPrompt' });
  }

  async attachSelection(): Promise<void> {
    const attachment = await this.#ports.editor.selection();
    if (!attachment)
      throw new AppError('invalid', l10n.t('There is no text to attach.'), {
        remedy: l10n.t('Open a file or select some text in an editor first.'),
      });
    this.attach(attachment);
  }

  removeAttachment(index: number): void {
    const { attachments } = this.#conversations.draft;
    this.change({ attachments: attachments.filter((_, position) => position !== index) });
  }

  /** Inserts text without sending it. */
  put(text: string): void {
    this.change({ text });
    this.#messages.fire({ type: 'draft', text });
  }

  dispose(): void {
    this.#changed.dispose();
    this.#messages.dispose();
  }
}
