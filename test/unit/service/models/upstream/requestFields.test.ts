import assert from 'node:assert/strict';
import { capabilitiesOf } from '../../../../../src/service/models/upstream/capabilities.ts';
import {
  handledFields,
  otherFields,
  streamedBody,
} from '../../../../../src/service/models/upstream/chatRequestBody.ts';

describe('the fields of a request to a model server', () => {
  it('that are handled here are not passed on, and nothing that is null', () => {
    const shared = ['stream', 'temperature', 'top_p', 'top_k', 'max_tokens', 'stop', 'n', 'model', 'stream_options'];
    const handled = handledFields('messages', 'tools');
    assert.deepEqual([...handled].toSorted(), [...shared, 'messages', 'tools'].toSorted());
    const request = Object.fromEntries([...shared, 'messages', 'tools', 'prompt'].map((name) => [name, 1]));
    assert.deepEqual(otherFields({ ...request, seed: 0, none: null, absent: undefined, off: false }, handled), {
      prompt: 1,
      seed: 0,
      off: false,
    });
  });

  it('of one that is streamed ask for its tokens, where the server can count', () => {
    assert.deepEqual(streamedBody({ a: 1, stream: false }, capabilitiesOf.generic), {
      a: 1,
      stream: true,
      stream_options: { include_usage: true },
    });
    assert.deepEqual(streamedBody({ a: 1 }, capabilitiesOf['llama-cpp-python']), { a: 1, stream: true });
  });
});
