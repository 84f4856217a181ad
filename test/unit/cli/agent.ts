import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildProgram } from '../service/support/builtService.ts';

/** An agent with its own `millrace mcp`. */
export interface Agent {
  /** Sends a request of the protocol. @returns its result, or its error */
  ask(method: string, params: unknown): Promise<object>;
  /** Calls a tool. @returns the text of the answer */
  call(name: string, given: unknown): Promise<{ text: string; isError: boolean }>;
  /** Ends the connection. @returns code and signal of the program's exit */
  leave(): Promise<unknown[]>;
  kill(): void;
}

/** Starts the program on the jobs of a folder. */
export async function startAgent(folder: string, env: Readonly<Record<string, string>> = {}): Promise<Agent> {
  const waiting = new Map<number, (answer: object) => void>();
  let count = 0;
  const script = await buildProgram();
  const child = spawn(process.execPath, [script, 'mcp', '--root', folder, '--data', join(folder, 'data')], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, XDG_STATE_HOME: join(folder, 'state'), ...env },
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line) as { id: number; result?: object; error?: object };
    waiting.get(id)?.(result ?? error ?? {});
  });
  const agent: Agent = {
    ask(method, params) {
      count += 1;
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: count, method, params })}\n`);
      return new Promise((resolve) => waiting.set(count, resolve));
    },
    async call(name, given) {
      const answer = await agent.ask('tools/call', { name, arguments: given });
      const { content, isError = false } = answer as { content?: { text: string }[]; isError?: boolean };
      return { text: content?.[0]?.text ?? JSON.stringify(answer), isError: isError || content === undefined };
    },
    leave() {
      child.stdin.end();
      return once(child, 'exit');
    },
    kill: () => void child.kill('SIGKILL'),
  };
  const clientInfo = { name: 'test', version: '1' };
  await agent.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  return agent;
}
