import { h } from '../../shared/webview/dom.ts';
import type { ConversationEvent, Failure } from '../conversationEvent.ts';
import type { ViewState } from '../protocol.ts';
import { failureCard } from './failureCard.ts';
import { strings } from './strings.ts';

type Action = 'refreshEndpoints' | 'chooseEndpoint' | 'chooseProfile' | 'adoptProfile' | 'dismissNotice';

/** Shows messages above the prompt that belong to no answer: the host's failures and those of the view's own requests. */
export class Notices {
  readonly element = h('div', { class: 'notices' });
  readonly #actions: Record<Action | 'dismissOwn', () => void>;
  #own: Failure | undefined;
  /** Whether the failure is a missing endpoint, which is resolved as soon as there is one. */
  #needsEndpoint = false;
  #drawn = '';

  constructor(actions: Record<Action | 'dismissOwn', () => void>) {
    this.#actions = actions;
  }

  /** The view's own failure. */
  get own(): Failure | undefined {
    return this.#own;
  }

  set(failure: Failure | undefined, needsEndpoint = false): void {
    this.#own = failure;
    this.#needsEndpoint = needsEndpoint;
  }

  update(view: ViewState): void {
    if (this.#needsEndpoint && view.endpoint !== undefined) this.set(undefined);
    const state = JSON.stringify([
      view.notice,
      view.otherProfile,
      view.profile.name,
      view.endpoints.status,
      view.endpoints.failure,
      this.#own,
      this.#needsEndpoint,
    ]);
    if (state === this.#drawn) return;
    this.#drawn = state;
    const cards: HTMLElement[] = [];
    const { failure } = view.endpoints;
    if (failure) {
      // Loading a list that the service does not have again is no help.
      const hasList = failure.kind !== 'notFound';
      const parts = [
        ...(this.#needsEndpoint ? [strings.notSent] : []),
        ...(hasList ? [strings.endpointsFailed(view.profile.name)] : []),
        failure.message,
      ];
      cards.push(
        failureCard(
          { ...failure, message: parts.join(' ') },
          this.#needsEndpoint ? 'error' : 'warning',
          hasList
            ? { label: strings.retryList, run: () => this.#actions.refreshEndpoints() }
            : { label: strings.chooseEndpoint, run: () => this.#actions.chooseEndpoint() },
        ),
      );
    }
    if (view.otherProfile !== undefined)
      cards.push(
        failureCard(
          {
            kind: 'invalid',
            message: strings.otherProfile(view.otherProfile),
            remedy: strings.otherProfileRemedy(view.profile.name),
          },
          'warning',
          { label: strings.chooseProfile, run: () => this.#actions.chooseProfile() },
          {
            label: strings.continueWith(view.profile.name),
            run: () => this.#actions.adoptProfile(),
          },
        ),
      );
    if (view.notice)
      cards.push(
        failureCard(view.notice, 'error', {
          label: strings.dismiss,
          run: () => this.#actions.dismissNotice(),
        }),
      );
    // The card of the endpoint list shows, or will soon show, why there is no endpoint.
    const isSaid = this.#needsEndpoint && view.endpoints.status !== 'ready';
    if (this.#own && !isSaid)
      cards.push(failureCard(this.#own, 'error', { label: strings.dismiss, run: () => this.#actions.dismissOwn() }));
    this.element.replaceChildren(...cards);
  }
}

/** Returns what a screen reader announces about an answer: that it begins, and how it ended. */
export function announcementOf(event: ConversationEvent, endpoint = ''): string | undefined {
  if (event.type === 'answerStarted') return strings.answerStarted;
  if (event.type !== 'answerEnded') return undefined;
  const texts = {
    done: strings.answerDone(endpoint),
    stopped: strings.answerStopped,
    cutOff: strings.answerCutOff,
    failed: strings.answerFailed,
  };
  return [texts[event.status], event.failure?.message].filter(Boolean).join(' ');
}
