import type http from 'node:http';
import { createModels, type Models } from '../../../../../src/service/models/models.ts';
import { answerJson, startHttpServer, type Handler, type TestServer } from '../../../../support/httpServer.ts';

export type Body = Record<string, unknown>;

export const messages = [{ role: 'user', content: 'Hello' }];
export const add = {
  type: 'function',
  function: {
    name: 'add',
    description: 'Adds',
    parameters: {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'integer' } },
      required: ['a', 'b'],
    },
  },
};
export const other = {
  type: 'function',
  function: { name: 'other', description: 'Other', parameters: { type: 'object', properties: {} } },
};
export const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

export const whole = (message: object, finish: string | null = 'stop', more: object = {}) => ({
  id: 'up-1',
  object: 'chat.completion',
  created: 5,
  model: 'real-model',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish, ...more }],
  usage,
});
export const call = (name: string, args: string) => ({
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: args } }],
});

export function stream(response: http.ServerResponse, events: readonly (object | string)[], end = true): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  if (end) response.end('data: [DONE]\n\n');
}
export const delta = (content: object, finish: string | null = null, index = 0) => ({
  id: 'up-1',
  object: 'chat.completion.chunk',
  created: 5,
  model: 'real-model',
  choices: [{ index, delta: content, finish_reason: finish }],
});

/** A model server whose answers a test chooses, and the models that a service makes of it. */
export interface UpstreamBench {
  readonly server: TestServer;
  handler: Handler;
  /** The models of that server, taken for one of this kind. */
  upstream(kind: string, more?: object): Models;
  /** What was sent, the last request first: its body. */
  sent(index?: number): Body;
  /** Answers with these one after the other, and then with the last again. */
  answers(...bodies: readonly object[]): void;
}

/** To be called in a `describe`, whose tests then have a server of their own. */
export function upstreamBench(): UpstreamBench {
  let server: TestServer;
  before(async () => {
    server = await startHttpServer((request, response) => bench.handler(request, response));
  });
  beforeEach(() => {
    server.requests.length = 0;
  });
  after(() => server.close());

  const bench: UpstreamBench = {
    get server() {
      return server;
    },
    handler: (_request, response) => answerJson(response, JSON.stringify(whole({ content: 'Hi' }))),
    upstream: (kind, more = {}) =>
      createModels({
        discover: false,
        upstreams: [
          {
            name: 'up',
            kind,
            baseUrl: `${server.url}/v1`,
            models: [
              { model: 'm', endpoint: 'm' },
              { model: 'e', endpoint: 'e', task: 'embedding' },
              { model: 'b', endpoint: 'b', task: 'completion' },
            ],
            ...more,
          },
        ],
      }),
    sent: (index = -1) => JSON.parse(server.requests.at(index)?.body ?? '{}') as Body,
    answers(...bodies) {
      let next = 0;
      bench.handler = (_request, response) =>
        answerJson(response, JSON.stringify(bodies[Math.min(next++, bodies.length - 1)]));
    },
  };
  return bench;
}
