/** Commands of profiles, after `millrace.profile.`. */
export const profileCommandNames = ['choose', 'add', 'edit', 'remove', 'signIn', 'diagnose'] as const;
export type ProfileCommand = (typeof profileCommandNames)[number];
