import { nearlyTenMb, type Attack } from './attack.ts';

/** Requests to models that would keep a service busy which did all of its work in its event loop. */
export const modelAttacks: readonly Attack[] = [
  { title: 'a prompt of one character', path: '/serving-endpoints/guide-completion/invocations', body: () => JSON.stringify({ stream: false, prompt: 'a'.repeat(nearlyTenMb) }) },
];
