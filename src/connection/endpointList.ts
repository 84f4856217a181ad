import type { EndpointTask } from '../api/schema/inference/endpoints.ts';
import { l10n } from '../shared/l10n.ts';
import type { EndpointRef } from './connection.ts';

const tasks: readonly EndpointTask[] = ['chat', 'completion', 'embedding'];

/** Parses endpoints as a user types them: `my-chat, my-embedder:embedding`; the default task is chat. */
export function parseEndpointList(text: string): {
  readonly endpoints: readonly EndpointRef[];
  readonly problem?: string;
} {
  const endpoints: EndpointRef[] = [];
  for (const part of text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')) {
    const [name = '', task = 'chat', ...rest] = part.split(':').map((piece) => piece.trim());
    const known = tasks.find((entry) => entry === task);
    if (name === '' || known === undefined || rest.length > 0) {
      return {
        endpoints: [],
        problem: l10n.t('"{0}" is not "name" or "name:task". The task is one of {1}.', part, tasks.join(', ')),
      };
    }
    endpoints.push({ name, task: known });
  }
  return { endpoints };
}

export function formatEndpointList(endpoints: readonly EndpointRef[]): string {
  return endpoints.map(({ name, task }) => (task === 'chat' ? name : `${name}:${task}`)).join(', ');
}
