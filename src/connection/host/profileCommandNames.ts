/** The profile commands, without the prefix `millrace.profile.`. In a file of its own, because the activation loads it. */
export const profileCommandNames = ['choose', 'add', 'edit', 'remove', 'signIn', 'diagnose'] as const;
export type ProfileCommand = (typeof profileCommandNames)[number];
