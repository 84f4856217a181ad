import type { EmbeddingBackend } from '../backend.ts';
import { invalidModelParameter } from '../modelErrors.ts';
import { inModelThread } from '../modelThread.ts';
import { wantsBase64 } from '../upstream/readVectors.ts';
import { newId } from '../wire.ts';
import { guideEmbeddingSize } from './embedTexts.ts';
import { guideTasks, tooLong } from './guideTasks.ts';

const guideEmbeddingModel = 'millrace-guide-embedding-1';

/**
 * Creates the built-in embedding model: texts that share words, word parts or synonyms get similar vectors. The same text always gets the
 * same vector. It runs on its own thread.
 */
export function createGuideEmbedding(): EmbeddingBackend {
  return {
    task: 'embedding',
    model: guideEmbeddingModel,
    answer: async (request, { signal }) => {
      if (request['dimensions'] !== undefined && request['dimensions'] !== guideEmbeddingSize) {
        throw invalidModelParameter(
          `${guideEmbeddingModel} returns vectors of ${guideEmbeddingSize} numbers and no other size. Leave dimensions out.`,
        );
      }
      const inputs = typeof request.input === 'string' ? [request.input] : request.input;
      const head = { id: newId('embd'), object: 'list' as const, model: guideEmbeddingModel };
      const task = { inputs, instruction: request.instruction ?? '', asBase64: wantsBase64(request), head };
      return { kind: 'text', text: await inModelThread(guideTasks.embedding, task, { signal, refusal: tooLong }) };
    },
  };
}
