import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface SmtpStandIn {
  readonly port: number;
  /** Every line that was sent, in its order. */
  readonly lines: string[];
  /** Those between DATA and its end. */
  readonly mails: string[];
  readonly sockets: ReadonlySet<Socket>;
  /** What is answered to a line; undefined for what a friendly server says. */
  answer: (line: string) => string | undefined;
  /** Resolves when nobody is connected. */
  left(): Promise<void>;
  close(): Promise<void>;
}

/** A mail server that takes everything, unless `answer` says otherwise. */
export async function startSmtp(): Promise<SmtpStandIn> {
  const sockets = new Set<Socket>();
  const standIn = {
    port: 0,
    lines: [] as string[],
    mails: [] as string[],
    sockets,
    answer: (_line: string): string | undefined => undefined,
    left: async () => {
      // What is only given up after a time-out of its own was not left.
      const signal = AbortSignal.timeout(5000);
      for (const socket of sockets) await once(socket, 'close', { signal });
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    let [text, mail] = ['', undefined as string | undefined];
    socket.write(standIn.answer('') ?? '220 test\r\n');
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        if (mail !== undefined && line !== '.') {
          mail += `${line}\n`;
          continue;
        }
        if (mail !== undefined) standIn.mails.push(mail);
        const isData = /^DATA/i.test(line);
        mail = isData ? '' : undefined;
        standIn.lines.push(line);
        socket.write(standIn.answer(line) ?? (isData ? '354 go\r\n' : '250 ok\r\n'));
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  standIn.port = (server.address() as AddressInfo).port;
  return standIn;
}
