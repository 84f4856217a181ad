import { createEndpointRequest, endpointTaskOf } from '../../../../../src/api/schema/inference/endpoints.ts';
import { decodeChecked, formatProblems } from '../../../../../src/api/schema/problems.ts';
import { assertApproved } from '../../../../support/approved.ts';

describe('what is said of endpoints', () => {
  it('is taken as approved: their tasks, in the words of servers, and their names', () => {
    const kinds = [
      'chat',
      'completion',
      'embedding',
      'completions',
      'embeddings',
      'embed',
      'llm/v1/chat',
      'text-completion',
      'chat.completion',
    ];
    const words = [
      undefined,
      '',
      'speech',
      ...kinds.flatMap((kind) => [kind, kind.toUpperCase(), `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`]),
    ];
    const names = ['a', '', '-a', '_a', '.a', 'a-b_c.d', 'a b', 'ä', '7', 'a'.repeat(63), 'a'.repeat(64), 'a/b', 'A'];
    const lines = [
      ...words.map((word) => `${word}: ${endpointTaskOf(word)}`),
      ...names.map((name) => {
        const checked = decodeChecked(createEndpointRequest, { name });
        return `${name}: ${checked.ok ? 'fine' : formatProblems(checked.problems)}`;
      }),
    ];
    assertApproved('endpoint-words', `${lines.join('\n')}\n`);
  });
});
