import assert from 'node:assert/strict';
import {
  asChatChunk,
  asCompletionChunk,
  chatText,
  completionText,
} from '../../../../../src/api/client/inference/chunk.ts';
import { ChunkTemplate } from '../../../../../src/api/client/inference/chunkTemplate.ts';
import { cases, seededRandom } from '../../../../support/counts.ts';

const parseChat = (data: string) => asChatChunk(JSON.parse(data));

/** Reads each as the stream does; says how many needed no parsing. */
function readAll<C>(
  datas: readonly string[],
  template: ChunkTemplate<C>,
  parse: (data: string) => C | undefined,
): number {
  let repeated = 0;
  for (const data of datas) {
    const expected = parse(data);
    const found = template.read(data);
    if (found === undefined) template.missed(data);
    else {
      repeated++;
      assert.deepEqual(found, expected, data);
    }
  }
  return repeated;
}

describe('ChunkTemplate', () => {
  const chat = (content: string, more = ''): string =>
    '{"id":"1","object":"chat.completion.chunk","created":5,"model":"m","choices":[{"index":0,' +
    `"delta":{"content":${JSON.stringify(content)}},"logprobs":null,"finish_reason":null}]${more}}`;

  it('reads chunks that differ in their text only, exactly as they parse', () => {
    const words = Array.from(
      { length: 100 },
      (_, index) =>
        [' word', 'ü東😀', '', ' "quoted"', 'back\\slash', '\n', 'a}', '],"x":1', ' \u2028'][index % 9] + String(index),
    );
    const repeated = readAll(
      words.map((word) => chat(word)),
      new ChunkTemplate(chatText, parseChat),
      parseChat,
    );
    assert.ok(repeated >= 50, `${repeated} of 100`);
  });

  it('reads completion chunks too', () => {
    const parse = (data: string) => asCompletionChunk(JSON.parse(data));
    const datas = Array.from(
      { length: 20 },
      (_, index) => `{"id": "1", "choices": [{"index": 0, "text": "word ${index}", "finish_reason": null}]}`,
    );
    assert.equal(readAll(datas, new ChunkTemplate(completionText, parse), parse), 19);
  });

  it('is not misled by other places with the same name, other shapes and ends', () => {
    const random = seededRandom(5);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const shapes: ((text: string) => string)[] = [
      (text) => chat(text),
      (text) =>
        `{"content":${JSON.stringify(text)},"choices":[{"index":0,"delta":{"content":"same"},"finish_reason":null}]}`,
      (text) =>
        `{"choices":[{"index":0,"delta":{"content":"first","content":${JSON.stringify(text)}},"finish_reason":null}]}`,
      (text) =>
        `{"choices":[{"index":0,"delta":{"content":${JSON.stringify(text)},"content":"last"},"finish_reason":null}]}`,
      (text) =>
        `{"choices":[{"index":1,"delta":{"content":${JSON.stringify(text)}},"finish_reason":null},{"index":0,"delta":{"content":"b"}}]}`,
      (text) => `{"choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}},"finish_reason":"stop"}]}`,
      (text) => chat(text, ',"usage":{"total_tokens":5}'),
      (text) => chat(text, `,"obfuscation":${JSON.stringify(text)}`),
      (text) => `{"choices":[{"index":0,"delta":{"content":[{"type":"text","text":${JSON.stringify(text)}}]}}]}`,
      (text) =>
        `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":${JSON.stringify(`{"content":"${text}`)}}}]}}]}`,
    ];
    for (let round = 0; round < cases(2000, 200); round++) {
      const used = [pick(shapes), pick(shapes)];
      const datas = Array.from({ length: 30 }, () =>
        pick(used)(pick(['a', 'b"', '\\', '"content":"x"', ',"delta":{"content":"', ''])),
      );
      readAll(datas, new ChunkTemplate(chatText, parseChat), parseChat);
    }
  });

  it('gives every chunk objects of its own', () => {
    const template = new ChunkTemplate(chatText, parseChat);
    template.missed(chat('a'));
    const [first, second] = [template.read(chat('b')), template.read(chat('c'))];
    assert.ok(first?.choices?.[0]?.delta && second);
    first.choices[0].delta.content = 'changed';
    first.model = 'changed';
    assert.deepEqual(second, parseChat(chat('c')));
    assert.deepEqual(template.read(chat('d')), parseChat(chat('d')));
  });

  it('tries a new one more and more rarely where nothing repeats', () => {
    let parsed = 0;
    const template = new ChunkTemplate(chatText, (data) => {
      parsed += 1;
      return parseChat(data);
    });
    for (let index = 0; index < 64; index++) template.missed(chat('a', `,"x":${index}`));
    assert.equal(parsed, 7);
  });

  it('has no part of the head and tail twice', () => {
    const template = new ChunkTemplate(chatText, parseChat);
    template.missed(chat('a'));
    assert.deepEqual(template.read(chat('')), parseChat(chat('')));
    assert.equal(template.read(chat('').replace('""', '"')), undefined);
  });

  it('is not misled by its own mark in another place', () => {
    const twice = (text: string): string =>
      JSON.stringify({
        content: text,
        choices: [{ index: 0, delta: { content: '\u2402\u2403millrace\u2403\u2402' } }],
      });
    const template = new ChunkTemplate(chatText, parseChat);
    template.missed(twice('a'));
    assert.equal(template.read(twice('b')), undefined);
  });
});
