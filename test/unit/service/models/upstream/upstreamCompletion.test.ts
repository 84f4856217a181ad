import assert from 'node:assert/strict';
import type { WireCompletion } from '../../../../../src/service/models/wire.ts';
import { bodyOf } from '../support.ts';
import { stream, upstreamBench } from './upstreamBench.ts';

describe('the prompts of a completion', () => {
  const bench = upstreamBench();

  it('are asked four at a time, and answered in their order', async () => {
    let [atOnce, most] = [0, 0];
    bench.handler = async (request, response) => {
      most = Math.max(most, (atOnce += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      atOnce -= 1;
      const { prompt } = JSON.parse(request.body) as { prompt: string };
      stream(response, [
        { id: 'x', object: 'text_completion', choices: [{ index: 0, text: prompt, finish_reason: 'stop' }] },
      ]);
    };
    const prompt = Array.from({ length: 9 }, (_unused, index) => `p${index}`);
    const { choices } = bodyOf<WireCompletion>(await bench.upstream('vllm').invoke('b', { prompt }));
    assert.deepEqual(
      choices.map(({ index, text }) => [index, text]),
      prompt.map((text, index) => [index, text]),
    );
    assert.equal(most, 4);
  });
});
