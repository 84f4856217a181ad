import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Attack } from './attack.ts';

const mebibyte = 1024 * 1024;

/** What a hostile or broken model server may answer. Each is the name of a model of it. */
type Answers = Record<string, { answer: () => Iterable<string>; type?: string; status?: number; task?: 'embedding' }>;

const whole = (content: string): string[] => [
  '{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"',
  content,
  '"}}]}',
];
const repeated = (item: string, count: number): string => item.repeat(count);
const event = (delta: string): string => `data: {"choices":[{"index":0,"delta":${delta}}]}\n\n`;
const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const toolCall = (index: number): string =>
  `{"index":${index},"id":"c${index}","type":"function","function":{"name":"f","arguments":"{}"}}`;

const answers: Answers = {
  'text of 15 MB': { answer: () => whole(repeated('a', 15 * mebibyte)) },
  'text of 30 MB': { answer: () => whole(repeated('a', 30 * mebibyte)) },
  'numbers in place of choices': { answer: () => [`{"choices":[${repeated('0,', 7 * mebibyte)}0]}`] },
  '100,000 levels': { answer: () => [repeated('[', 100_000)] },
  'a number of 9,000,000 digits': { answer: () => ['{"choices":', repeated('9', 9_000_000), '}'] },
  'an error of 10 MB': { answer: () => [repeated('<p>', 3.4 * mebibyte)], status: 500 },
  'a vector of 3,000,000 numbers': {
    answer: () => [`{"data":[{"embedding":[${repeated('0.25,', 3_000_000)}1]}]}`],
    task: 'embedding',
  },
  'stream: 10,000 tool calls, each an event': {
    answer: function* () {
      for (let index = 0; index < 10_000; index += 1) yield event(`{"tool_calls":[${toolCall(index)}]}`);
      yield end;
    },
    type: 'text/event-stream',
  },
  'stream: an event of 30 MB': {
    answer: () => [event(`{"content":"${repeated('a', 30 * mebibyte)}"}`), end],
    type: 'text/event-stream',
  },
  'stream: 20 MB without a line end': { answer: () => [repeated('a', 20 * mebibyte)], type: 'text/event-stream' },
  'stream: 5,000,000 line ends': { answer: () => [repeated('\n', 5_000_000), end], type: 'text/event-stream' },
  'stream: 20,000 events': {
    answer: function* () {
      for (let index = 0; index < 20_000; index += 1) yield event('{"content":"a"}');
      yield end;
    },
    type: 'text/event-stream',
  },
};

const endpointOf = (index: number): string => `hostile-${index}`;

/** Requests that a hostile model server answers. */
export const upstreamAttacks: readonly Attack[] = Object.entries(answers).map(([title, { task }], index) => ({
  title: `a model server answers with ${title}`,
  path: `/serving-endpoints/${endpointOf(index)}/invocations`,
  body: () =>
    JSON.stringify(
      task === 'embedding'
        ? { input: 'hello' }
        : {
            stream: title.startsWith('stream'),
            messages: [{ role: 'user', content: 'hello' }],
            ...(title.includes('tool') && {
              tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } }],
            }),
          },
    ),
  answers: [200, 400, 502],
}));

export interface HostileServer {
  /** For the service's configuration. */
  readonly upstreams: readonly object[];
  close(): void;
}

export async function startHostileServer(): Promise<HostileServer> {
  const all = Object.values(answers);
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { model = '' } = JSON.parse(String(Buffer.concat(chunks)) || '{}') as { model?: string };
    const found = all[Number(/\d+/.exec(model)?.[0] ?? -1)];
    if (!found) {
      response.end('{"data":[]}');
      return;
    }
    response.writeHead(found.status ?? 200, { 'content-type': found.type ?? 'application/json' });
    const closed = once(response, 'close');
    for (const text of found.answer()) await write(response, text, closed);
    response.end();
  };
  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    upstreams: [
      {
        name: 'hostile',
        baseUrl: `http://127.0.0.1:${port}/v1`,
        models: all.map(({ task }, index) => ({
          model: endpointOf(index),
          endpoint: endpointOf(index),
          ...(task && { task }),
        })),
      },
    ],
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A reader that has gone is no fault of the writer. */
async function write(response: ServerResponse, text: string, closed: Promise<unknown>): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  await Promise.race([once(response, 'drain'), closed]);
}
