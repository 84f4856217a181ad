import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** How long a process's event loop was kept from everything else. */
interface LoopReading {
  /** The longest stretch, in processor time of the main thread: the same on an idle and on a busy machine. */
  readonly longestInMs: number;
  /** The longest delay of a timer, by the wall clock. For people to read, not for a test to judge. */
  readonly longestDelayInMs: number;
}

/** A look into the event loop of a process that is started with its environment. */
export interface LoopProbe {
  readonly environment: NodeJS.ProcessEnv;
  /** What was measured since the last reading, or since the start. */
  read(): Promise<LoopReading>;
}

let probes = 0;

export function createLoopProbe(): LoopProbe {
  const name = `millrace-loop-${process.pid}-${(probes += 1)}`;
  const address = process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
  return {
    environment: {
      MILLRACE_LOOP_PROBE: address,
      NODE_OPTIONS: `--require=${join(import.meta.dirname, 'loopProbe.cjs')}`,
    },
    async read() {
      const socket = connect(address);
      await once(socket, 'connect');
      return JSON.parse(await text(socket)) as LoopReading;
    },
  };
}

/** How many requests were answered, sent one after the other while something else went on. */
export async function countAnswersBeside(ask: () => Promise<unknown>, work: Promise<unknown>): Promise<number> {
  let over = false;
  const end = (): void => {
    over = true;
  };
  work.then(end, end);
  let count = 0;
  while (!over) {
    await ask();
    count += 1;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return count;
}
