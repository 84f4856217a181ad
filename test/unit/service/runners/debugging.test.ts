import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { mock } from 'node:test';
import { type DebugDoor, openDebugDoor } from '../../../../src/service/runners/debugDoor.ts';

describe('Debug door', () => {
  interface Peer {
    socket: Socket;
    /** All that came so far. */
    text(): string;
    /** Resolves once what came holds the text. */
    until(part: string): Promise<void>;
    closed: Promise<unknown>;
  }

  async function connectTo(port: number): Promise<Peer> {
    const socket = connect(port, '127.0.0.1');
    // `once` of events would take an error for its end.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await once(socket, 'connect');
    let received = '';
    socket.setEncoding('utf8');
    socket.on('error', () => undefined);
    socket.on('data', (chunk: string) => {
      received += chunk;
    });
    return {
      socket,
      closed,
      text: () => received,
      async until(part) {
        while (!received.includes(part)) {
          if (socket.closed) throw new Error(`It was closed after: ${received}`);
          await new Promise((resolve) => {
            socket.once('data', resolve).once('close', resolve);
          });
        }
      },
    };
  }

  function message(content: object): string {
    const text = JSON.stringify(content);
    return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  }

  const proof = (secret: unknown): string =>
    message({ type: 'response', request_seq: 0, success: true, body: { clientAccessToken: secret } });

  let door: DebugDoor;
  let held: boolean[];
  beforeEach(async () => {
    held = [];
    door = await openDebugDoor((isHeld) => void held.push(isHeld));
  });
  afterEach(() => door.close());

  async function debuggee(): Promise<Peer> {
    const peer = await connectTo(door.debuggee.port);
    await peer.until('pydevdAuthorize');
    peer.socket.write(proof(door.debuggee.secret));
    return peer;
  }

  async function editor(): Promise<Peer> {
    const peer = await connectTo(door.editor.port);
    peer.socket.write(`${door.editor.secret}\n`);
    return peer;
  }

  it('joins the two sides in any order, with all that was sent before', async () => {
    const first = await editor();
    first.socket.write('from the editor');
    await door.entered;
    const second = await connectTo(door.debuggee.port);
    second.socket.write(`${proof(door.debuggee.secret)}from the debugger`);
    await second.until('from the editor');
    await first.until('from the debugger');
    assert.equal(first.text(), 'from the debugger');
  });

  it('refuses a wrong secret and still accepts the right one', async () => {
    for (const said of ['\n', 'wrong\n', `${door.debuggee.secret}\n`, 'x'.repeat(1000)]) {
      const stranger = await connectTo(door.editor.port);
      stranger.socket.write(said);
      await stranger.closed;
      assert.equal(stranger.text(), '');
    }
    const wrongProofs = [
      proof('wrong'),
      proof(door.editor.secret),
      proof(null),
      message({}),
      'Content-Length: 3\r\n\r\n{}}',
      'x'.repeat(10_000),
    ];
    for (const said of wrongProofs) {
      const stranger = await connectTo(door.debuggee.port);
      stranger.socket.write(said);
      await stranger.closed;
    }
    const [program, person] = [await debuggee(), await editor()];
    person.socket.write('hello');
    await program.until('hello');
  });

  it('accepts one editor and one debugger', async () => {
    const early = await connectTo(door.editor.port);
    await editor();
    await door.entered;
    early.socket.write(`${door.editor.secret}\n`);
    await early.closed;
    const late = await connectTo(door.editor.port).catch((error: NodeJS.ErrnoException) => error.code);
    assert.equal(late, 'ECONNREFUSED');
  });

  it('detaches the debugger when the editor is gone', async () => {
    const [program, person] = [await debuggee(), await editor()];
    person.socket.write('hello');
    await program.until('hello');
    person.socket.destroy();
    await door.left;
    await program.until('"command":"disconnect"');
    assert.ok(!program.text().includes('terminateDebuggee'));
  });

  it('reports once when the program halts and continues', async () => {
    const [program, person] = [await debuggee(), await editor()];
    const says = async (...pieces: string[]): Promise<void> => {
      for (const piece of pieces) {
        program.socket.write(piece);
        await person.until(piece);
      }
    };
    await says(message({ event: 'output', body: { output: '"event": "stopped"' } }), '{"type": "event", "event": "sto');
    assert.deepEqual(held, []);
    await says('pped", "body": {}}', 'and', 'so', 'on');
    assert.deepEqual(held, [true]);
    await says('{"type": "event", "event": "continued"}', 'x'.repeat(100));
    assert.deepEqual(held, [true, false]);
    person.socket.destroy();
    await door.left;
    await program.until('"command":"disconnect"');
    program.socket.write('{"type": "event", "event": "stopped"}');
    program.socket.end();
    await program.closed;
    assert.deepEqual(held, [true, false]);
  });

  it('refuses a secret or proof that is too long', async () => {
    for (const [port, limitBytes] of [
      [door.editor.port, 256],
      [door.debuggee.port, 4096],
    ] as const) {
      const talker = await connectTo(port);
      talker.socket.write('x'.repeat(limitBytes));
      const other = await connectTo(port);
      other.socket.write('x'.repeat(limitBytes + 1));
      await other.closed;
      assert.equal(talker.socket.destroyed, false);
      talker.socket.write('x');
      await talker.closed;
    }
  });

  it('refuses silence after ten seconds, but never who has shown the secret', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const mute = await connectTo(door.editor.port);
      const silent = await connectTo(door.debuggee.port);
      await silent.until('pydevdAuthorize');
      const turned: string[] = [];
      for (const [name, peer] of Object.entries({ mute, silent })) void peer.closed.then(() => turned.push(name));
      const program = await connectTo(door.debuggee.port);
      await program.until('pydevdAuthorize');
      mock.timers.tick(9_999);
      program.socket.write(proof(door.debuggee.secret));
      const person = await editor();
      person.socket.write('hello');
      await program.until('hello');
      assert.deepEqual(turned, []);
      mock.timers.tick(1);
      await Promise.all([mute.closed, silent.closed]);
      mock.timers.tick(20_000);
      person.socket.write('still here');
      await program.until('still here');
      program.socket.write('as I am');
      await person.until('as I am');
    } finally {
      mock.timers.reset();
    }
  });
});
