import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { answerJson, startHttpServer } from './httpServer.ts';

/** A model server as Ollama and others are, with one model that says the same to everything. */
export interface ModelServer {
  /** What `models.json` of the local service says of it: its name there is `lab`. */
  readonly settings: string;
  readonly address: string;
  /** The bodies of the questions so far. */
  readonly asked: readonly string[];
  /** Refuses with 503 and asks to wait so many seconds. */
  busyForInS: number | undefined;
  /** Begins its answers and does not end them before it is left. */
  isSlow: boolean;
  /** Goes on with a hundred words, one after so many milliseconds. */
  paceInMs: number | undefined;
  close(): Promise<void>;
}

export async function startModelServer(model: string): Promise<ModelServer> {
  const asked: string[] = [];
  const server = await startHttpServer(async ({ url, body }, response) => {
    if (!url.endsWith('/chat/completions')) return answerJson(response, JSON.stringify({ data: [{ id: model }] }));
    asked.push(body);
    if (models.busyForInS !== undefined) {
      response.setHeader('retry-after', String(models.busyForInS));
      return answerJson(response, '{"error":{"message":"The model is loading."}}', 503);
    }
    const chunk = (delta: object, finish: string | null): string =>
      `data: ${JSON.stringify({
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model,
        choices: [{ index: 0, delta, finish_reason: finish }],
      })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: 'Here I am.' }, null));
    for (let word = 1; word <= 100 && models.paceInMs !== undefined && !response.destroyed; word += 1) {
      await setTimeout(models.paceInMs);
      response.write(chunk({ content: ` word ${word}` }, null));
    }
    if (models.isSlow) await once(response, 'close');
    else response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  });
  const settings = { discover: false, upstreams: [{ name: 'lab', baseUrl: `${server.url}/v1` }] };
  const models: ModelServer = {
    settings: JSON.stringify(settings),
    address: `${server.url}/v1`,
    asked,
    busyForInS: undefined,
    isSlow: false,
    paceInMs: undefined,
    close: () => server.close(),
  };
  return models;
}
