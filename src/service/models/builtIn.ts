import type { Clock } from '../../shared/clock.ts';
import type { ModelBackend } from './backend.ts';
import type { ServedEndpoint } from './endpoint.ts';
import { createGuideChat } from './guide/guideChat.ts';
import { createGuideCompletion } from './guide/guideCompletion.ts';
import { createGuideEmbedding } from './guide/guideEmbedding.ts';

/** The endpoints that exist out of the box and need nothing. */
export function builtInEndpoints(clock: Clock): ServedEndpoint[] {
  const endpoint = (name: string, backend: ModelBackend, description: string): ServedEndpoint => ({
    name,
    task: backend.task,
    kind: 'pay-per-token',
    description,
    served: [{ name: backend.model, backend, trafficPercentage: 100 }],
  });
  return [
    endpoint(
      'guide',
      createGuideChat(clock),
      'Built in, not a language model: answers about job files, runs and both APIs.',
    ),
    endpoint(
      'guide-completion',
      createGuideCompletion(clock),
      'Built in, not a language model: continues a prompt from the documentation.',
    ),
    endpoint(
      'guide-embedding',
      createGuideEmbedding(),
      'Built in: deterministic embeddings of 256 numbers from the words of a text.',
    ),
  ];
}
