import assert from 'node:assert/strict';
import { chatRequest } from '../../../../src/api/schema/inference/chat.ts';
import { chatRequestOf, textOfMessage } from '../../../../src/chat/host/editorRequest.ts';

const [user, assistant, system] = [1, 2, 3];
const text = (value: string): object => ({ value });
const plain = { isToolRequired: false };

describe('a request of the editor for an answer', () => {
  it('keeps text, the calls of tools and their results in the order of the API', () => {
    const { messages } = chatRequestOf(
      [
        { role: user, content: [text('How many '), text('jobs?')] },
        { role: assistant, content: [text('I look.'), { callId: 'c1', name: 'list_jobs', input: { name: 'n' } }] },
        { role: user, content: [{ callId: 'c1', content: [text('3 jobs')] }, text('Well?')] },
      ],
      plain,
    );
    assert.deepEqual(messages, [
      { role: 'user', content: 'How many jobs?' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'list_jobs', arguments: '{"name":"n"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '3 jobs' },
      { role: 'user', content: 'Well?' },
    ]);
  });

  it('sends images as data', () => {
    const image = { mimeType: 'image/png', data: new Uint8Array([1, 2, 3]) };
    const [message] = chatRequestOf([{ role: user, content: [text('What is it?'), image] }], plain).messages;
    assert.deepEqual(message?.content, [
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
    ]);
  });

  it('is valid with several system messages, too many tools and tools that are too wide', () => {
    const wide = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`p${at}`, {}]));
    const request = chatRequestOf(
      [
        { role: system, content: [text('Be brief.')] },
        { role: user, content: [text('Hi')] },
        { role: system, content: [text('Be polite.')] },
        { role: user, content: [{ unknown: true }, null] },
      ],
      {
        isToolRequired: true,
        tools: Array.from({ length: 40 }, (_, at) => ({
          name: `t${at}`,
          description: 'A tool',
          inputSchema: { type: 'object', properties: at === 0 ? wide : {} },
        })),
      },
    );
    assert.equal(chatRequest.safeParse(request).error, undefined);
    assert.deepEqual([request.tools?.length, request.tool_choice], [32, 'required']);
  });

  it('counts the text of a message', () => {
    assert.equal(textOfMessage({ role: user, content: [text('a'), { mimeType: 'x' }, text('b')] }), 'ab');
    const call = { callId: '1', name: 'find', input: { q: 1 } };
    const result = { callId: '1', content: [text('found')] };
    assert.equal(textOfMessage({ role: user, content: [call, result] }), 'find{"q":1}found');
  });
});
