import type { Freshness } from '../store/runStore.ts';

/** What the view shows when it has no rows. `rows` means that the service was read. */
export type ViewPicture =
  | 'loading'
  | 'rows'
  | 'signedOut' // there is no sign-in to send
  | 'refused' // the service does not take the sign-in, or does not allow it to read
  | 'offline' // the service cannot be reached, or fails
  | 'stopped' // the local service does not run
  | 'untrusted' // the workspace is not trusted
  | 'failed';

/** Returns what an empty view shows: each reason has its own picture, with its remedy. */
export function viewPicture(freshness: Freshness): ViewPicture {
  if (freshness.kind === 'empty') return 'loading';
  if (freshness.kind === 'fresh' || freshness.updatedMs !== undefined) return 'rows';
  const { kind, status } = freshness.error;
  switch (kind) {
    case 'unauthenticated':
      return status === undefined ? 'signedOut' : 'refused';
    case 'forbidden':
      return 'refused';
    case 'network':
    case 'timeout':
    case 'tls':
    case 'rateLimited':
    case 'server':
    case 'cutOff':
      return 'offline';
    case 'unavailable':
      return 'stopped';
    case 'untrusted':
      return 'untrusted';
    default:
      return 'failed';
  }
}
