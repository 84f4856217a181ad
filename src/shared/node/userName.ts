import { userInfo } from 'node:os';

/** Returns the name of the user of this process. Containers can run as a user without one, who is called `user`. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'user';
  }
}
