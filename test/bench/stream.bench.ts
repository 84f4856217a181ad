import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createParser } from 'eventsource-parser';
import { createClient } from '../../src/api/client/index.ts';
import { nodeFetch } from '../../src/connection/host/nodeFetch.ts';
import { installPeer, median, recordFigures } from '../support/bench.ts';
import { compareCpu } from '../support/cpuTime.ts';

const server = spawn(
  process.execPath,
  ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', path.join(import.meta.dirname, '../support/streamServer.ts')],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const [portText] = (await once(server.stdout, 'data')) as [Buffer];
const baseUrl = `http://127.0.0.1:${portText.toString().trim()}`;
const client = createClient({ baseUrl, auth: { kind: 'bearer', token: 'bench-token' }, fetch: nodeFetch });
const request = { messages: [{ role: 'user' as const, content: 'Hi' }] };

/** Ours: the whole client, chunk check and end check included. */
async function ours(endpoint: string, onChunk?: () => void): Promise<number> {
  let length = 0;
  for await (const chunk of client.inference.streamChat(endpoint, request)) {
    const content = chunk.choices?.[0]?.delta?.content;
    if (typeof content === 'string') length += content.length;
    onChunk?.();
  }
  return length;
}

/** The raw peer: fetch, eventsource-parser and JSON.parse, without any check. */
async function raw(endpoint: string, onChunk?: () => void): Promise<number> {
  let length = 0;
  const response = await fetch(`${baseUrl}/serving-endpoints/${endpoint}/invocations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, stream: true }),
  });
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') return;
      const chunk = JSON.parse(data) as { choices: { delta: { content?: string } }[] };
      length += chunk.choices[0]?.delta.content?.length ?? 0;
      onChunk?.();
    },
  });
  const decoder = new TextDecoder();
  if (response.body) for await (const bytes of response.body) parser.feed(decoder.decode(bytes, { stream: true }));
  return length;
}

interface OpenAiLike {
  chat: {
    completions: { create(request: unknown): Promise<AsyncIterable<{ choices: { delta: { content?: string } }[] }>> };
  };
}

async function openAi(): Promise<(endpoint: string) => Promise<number>> {
  const folder = await installPeer('openai@6.9.0');
  const { default: OpenAI } = (await import(path.join(folder, 'index.mjs'))) as {
    default: new (options: unknown) => OpenAiLike;
  };
  return async (endpoint) => {
    let length = 0;
    const peer = new OpenAI({ apiKey: 'bench-token', baseURL: `${baseUrl}/serving-endpoints/${endpoint}` });
    for await (const chunk of await peer.chat.completions.create({ ...request, model: 'm', stream: true }))
      length += chunk.choices[0]?.delta.content?.length ?? 0;
    return length;
  };
}

try {
  const chunks = 100_000;
  const expected = await raw(`full-${chunks}`);
  if ((await ours(`full-${chunks}`)) !== expected) throw new Error('The two clients read different texts.');
  const full = await compareCpu({ ours: () => ours(`full-${chunks}`), raw: () => raw(`full-${chunks}`) }, 11);
  const perMillion = 1e6 / chunks / 1000;
  const figures = [
    {
      name: 'full speed, a million chunks',
      ours: full.ours * perMillion,
      peer: full.raw * perMillion,
      peerName: 'fetch + eventsource-parser + JSON.parse',
      unit: 's CPU',
      goal: 1.9,
    },
  ];

  const pacedTimes = await compareCpu({ ours: () => ours('paced-300-100'), raw: () => raw('paced-300-100') }, 9);
  figures.push({
    name: 'paced, 300 events at 100 a second',
    ours: pacedTimes.ours,
    peer: pacedTimes.raw,
    peerName: 'fetch + eventsource-parser + JSON.parse',
    unit: 'ms CPU',
    goal: 1.25,
  });

  /** Milliseconds from the request to the first chunk. */
  const first = async (run: (endpoint: string, onChunk: () => void) => Promise<number>): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < 60; round++) {
      const startedAt = performance.now();
      let firstAt = 0;
      await run('full-3', () => (firstAt ||= performance.now()));
      times.push(firstAt - startedAt);
    }
    return median(times);
  };
  const latency = { peer: await first(raw), ours: await first(ours) };
  figures.push({
    name: 'request to first chunk',
    ours: latency.ours,
    peer: latency.peer,
    peerName: 'fetch + eventsource-parser + JSON.parse',
    unit: 'ms',
    goal: 1,
  });

  const peer = await openAi().catch((error: unknown) => {
    console.log(`openai-node could not be installed: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  });
  if (peer) {
    const against = await compareCpu({ ours: () => ours(`full-${chunks}`), peer: () => peer(`full-${chunks}`) }, 5);
    figures.push({
      name: 'full speed, a million chunks, against openai-node',
      ours: against.ours * perMillion,
      peer: against.peer * perMillion,
      peerName: 'openai-node',
      unit: 's CPU',
      goal: 0.18,
    });
  }
  recordFigures('stream', figures);
} finally {
  server.kill();
}
