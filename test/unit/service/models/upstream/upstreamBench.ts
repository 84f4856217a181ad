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

/** A model server with scripted answers, and the models that a service creates from it. */
export interface UpstreamBench {
  readonly server: TestServer;
  handler: Handler;
  /** Returns the models of the server, which is treated as this kind of server. */
  upstream(kind: string, more?: object): Models;
  /** Returns the body of a request, by default the last one. */
  sent(index?: number): Body;
  /** Answers with these bodies in order and repeats the last one. */
  answers(...bodies: readonly object[]): void;
}

/** Provides a server to all tests of a `describe`. */
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
