import net from 'node:net';
import { Worker } from 'node:worker_threads';

/** A port whose queue of connections is full: another connection to it neither opens nor fails. */
export interface FullListener {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens, then never accepts: the thread sleeps for good. */
const program = `
const { parentPort } = require('node:worker_threads');
const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort.postMessage(server.address().port);
  setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 20);
});
`;

/** @returns undefined if the system refuses connections that it cannot queue, as Windows does */
export async function startFullListener(): Promise<FullListener | undefined> {
  const worker = new Worker(program, { eval: true });
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const sockets: net.Socket[] = [];
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await worker.terminate();
  };
  for (let count = 0; count < 20; count++) {
    const socket = net.connect({ port, host: '127.0.0.1' });
    sockets.push(socket);
    const outcome = await new Promise<string>((resolve) => {
      socket.once('connect', () => resolve('queued'));
      socket.once('error', () => resolve('refused'));
      setTimeout(() => resolve('hangs'), 300);
    });
    if (outcome === 'hangs') return { url: `http://127.0.0.1:${port}`, close };
    if (outcome === 'refused') break;
  }
  await close();
  return undefined;
}
