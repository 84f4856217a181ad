import { type Clock, systemClock } from '../shared/clock.ts';
import type { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import type { Profile } from './connection.ts';

/** Minimum pause between two reports about a service that refuses occasionally. */
const minPauseInMs = 10 * 60_000;

interface Refusal {
  /** The profile at the time of the report: a changed profile may be reported again. */
  readonly fingerprint: string;
  readonly toldAt: number;
  isOver: boolean;
  /** Whether nothing was sent because no secret is stored; in that case nothing was refused. */
  isMissing: boolean;
}

/** The known state of a profile's sign-in. */
export type SignInState = 'fine' | 'missing' | 'refused';

/** Tracks which profiles' sign-ins are refused, and whether a refusal is new: no matter how many calls fail, the user is notified once. */
export class SignInRefusals {
  readonly #clock: Clock;
  readonly #refusals = new Map<string, Refusal>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Records a refusal with its status. Returns true if the user should be notified. */
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

  /** Records that the service accepted a call: the profile is no longer refused. */
  accepted(profileId: string): void {
    const known = this.#refusals.get(profileId);
    if (known) known.isOver = true;
  }

  /** Records that the profile has a new sign-in, so that the next refusal is reported. */
  forget(profileId: string): void {
    this.#refusals.delete(profileId);
  }

  stateOf(profileId: string): SignInState {
    const known = this.#refusals.get(profileId);
    if (known?.isOver !== false) return 'fine';
    return known.isMissing ? 'missing' : 'refused';
  }
}

/** Returns the status bar text for a sign-in state, or `undefined` if there is none. */
export function signInMark({ authKind }: Profile, state: SignInState): string | undefined {
  if (state === 'fine') return undefined;
  if (authKind === 'none') return l10n.t('The service requires a sign-in');
  return state === 'missing' ? l10n.t('This machine has no sign-in') : l10n.t('The service rejects the sign-in');
}

/** Describes a refusal: what does not work, and until when. */
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
