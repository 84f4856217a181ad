import { type Clock, systemClock } from '../shared/clock.ts';
import type { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import type { Profile } from './connection.ts';

/** A service that refuses now and then is not told of again before this. */
const minPauseInMs = 10 * 60_000;

interface Refusal {
  /** The profile as it was when it was told of: a changed one may be told of again. */
  readonly fingerprint: string;
  readonly toldAt: number;
  isOver: boolean;
  /** Nothing was sent, since nothing is stored; nobody has refused anything. */
  isMissing: boolean;
}

/** What is known of a profile's sign-in. */
export type SignInState = 'fine' | 'missing' | 'refused';

/** Which profiles' sign-in is refused, and whether a refusal is news: however many calls fail, a person is told once. */
export class SignInRefusals {
  readonly #clock: Clock;
  readonly #refusals = new Map<string, Refusal>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Notes a refusal, with the status that it came with. True if a person should be told of it. */
  add(profile: Profile, status: number | undefined): boolean {
    const isMissing = status === undefined;
    const fingerprint = JSON.stringify(profile);
    const known = this.#refusals.get(profile.id);
    if (known?.fingerprint === fingerprint && (!known.isOver || this.#clock.now() - known.toldAt < minPauseInMs)) {
      known.isOver = false;
      known.isMissing = isMissing;
      return false;
    }
    this.#refusals.set(profile.id, { fingerprint, toldAt: this.#clock.now(), isOver: false, isMissing });
    return true;
  }

  /** The service has answered a call: the profile is not refused any more. */
  accepted(profileId: string): void {
    const known = this.#refusals.get(profileId);
    if (known) known.isOver = true;
  }

  /** The profile has a new sign-in: the next refusal is news. */
  forget(profileId: string): void {
    this.#refusals.delete(profileId);
  }

  stateOf(profileId: string): SignInState {
    const known = this.#refusals.get(profileId);
    if (known?.isOver !== false) return 'fine';
    return known.isMissing ? 'missing' : 'refused';
  }
}

/** What the status bar says of a sign-in; undefined if there is nothing to say. */
export function signInMark({ authKind }: Profile, state: SignInState): string | undefined {
  if (state === 'fine') return undefined;
  if (authKind === 'none') return l10n.t('The service requires a sign-in');
  return state === 'missing' ? l10n.t('This machine has no sign-in') : l10n.t('The service rejects the sign-in');
}

/** A refusal in words: what does not work, and until when. */
export function refusalText({ name, authKind }: Profile, { status }: Pick<AppError, 'status'>): string {
  if (authKind === 'none')
    return l10n.t(
      'The service requires a sign-in, and the profile "{0}" has none. Requests fail until you add one.',
      name,
    );
  if (status === undefined)
    return l10n.t('This machine has no sign-in for profile "{0}". Nothing is sent until you sign in.', name);
  return l10n.t('The service rejected the sign-in of profile "{0}". Requests fail until you sign in again.', name);
}
