import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import {
  type DebugMessage,
  type NotebookCells,
  RunDebugAdapter,
  type RunDebugAdapterOptions,
} from '../../../../src/service/host/runDebugAdapter.ts';

describe('Debug adapter', () => {
  function frame(content: object): Buffer {
    const text = JSON.stringify(content);
    return Buffer.from(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  let server: Server;
  let debuggee: Socket;
  let adapter: RunDebugAdapter;
  let heard = '';
  let told: DebugMessage[];
  let cancelled: number;
  let phases: string[];
  let listeners: (() => void)[];
  let logged: string[];

  /** Resolves once the condition holds; it is looked at after each thing that comes. */
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (condition()) resolve();
      };
      listeners.push(look);
      look();
    });
  const changed = (): void => listeners.forEach((look) => look());

  async function open(
    haltsAtFailure = false,
    cells?: NotebookCells,
    more: Partial<RunDebugAdapterOptions> = {},
  ): Promise<void> {
    [heard, told, cancelled, listeners, phases, logged] = ['', [], 0, [], [], []];
    const came = Promise.withResolvers<Socket>();
    server = createServer(came.resolve);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    adapter = new RunDebugAdapter({
      address: { port: (server.address() as AddressInfo).port, secret: 'secret' },
      haltsAtFailure,
      cells,
      onHeld: (isHeld) => void phases.push(isHeld ? 'held' : 'going'),
      onEnd: () => void phases.push('over'),
      cancel: async () => {
        cancelled += 1;
      },
      log: (message) => void logged.push(message),
      ...more,
    });
    adapter.onDidSendMessage((message) => {
      told.push(message);
      changed();
    });
    debuggee = await came.promise;
    debuggee.setEncoding('utf8');
    debuggee.on('error', () => undefined);
    debuggee.on('data', (text: string) => {
      heard += text;
      changed();
    });
  }
  afterEach(() => {
    adapter.dispose();
    debuggee.destroy();
    server.close();
  });

  const asked = (): DebugMessage[] =>
    heard
      .split(/Content-Length: \d+\r\n\r\n/)
      .slice(1)
      .map((text) => JSON.parse(text) as DebugMessage);

  it('sends the secret first and turns launch into attach', async () => {
    await open();
    adapter.handleMessage({ seq: 1, type: 'request', command: 'launch', arguments: { type: 'millrace', jobId: '5' } });
    await until(() => asked().length === 1);
    assert.ok(heard.startsWith('secret\nContent-Length'), heard);
    assert.deepEqual(asked()[0], {
      seq: 1,
      type: 'request',
      command: 'attach',
      arguments: { justMyCode: true, redirectOutput: true },
    });
    debuggee.write(frame({ seq: 3, type: 'response', request_seq: 1, command: 'attach', success: true }));
    await until(() => told.length === 1);
    assert.deepEqual(told[0], { seq: 3, type: 'response', request_seq: 1, command: 'launch', success: true });
    adapter.handleMessage({ seq: 2, type: 'request', command: 'launch', arguments: { justMyCode: false } });
    await until(() => asked().length === 2);
    assert.equal(asked()[1]?.arguments?.['justMyCode'], false);
  });

  it('reassembles messages however they are cut', async () => {
    await open();
    debuggee.setNoDelay(true);
    const first = frame({ type: 'event', event: 'output', body: { output: 'größer €' } });
    const second = frame({ type: 'event', event: 'stopped', body: {} });
    // One with the beginning of the next, then the rest of that.
    debuggee.write(Buffer.concat([first, second.subarray(0, 30)]));
    await until(() => told.length === 1);
    debuggee.write(second.subarray(30));
    await until(() => told.length === 2);
    for (const byte of Buffer.concat([first, second])) {
      debuggee.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => told.length === 4);
    for (const at of [0, 2])
      assert.deepEqual([told[at]?.body?.['output'], told[at + 1]?.event], ['größer €', 'stopped']);
  });

  it('translates cell names and opens a notebook before its cells are shown', async () => {
    const opening = Promise.withResolvers<void>();
    const opened: string[] = [];
    await open(false, {
      toDebugger: (path) => path.replace('cell-uri:1', '/book.ipynb#cell 1'),
      toEditor: (path) => path.replace('/book.ipynb#cell 1', 'cell-uri:1'),
      async open(paths) {
        opened.push(...paths);
        changed();
        await opening.promise;
      },
    });
    adapter.handleMessage({
      type: 'request',
      command: 'setBreakpoints',
      arguments: { source: { path: 'cell-uri:1' } },
    });
    await until(() => asked().length === 1);
    assert.deepEqual(asked()[0]?.arguments, { source: { path: '/book.ipynb#cell 1' } });
    const stack = (path: string): object => ({
      body: { stackFrames: [{ source: { path } }, { source: { path: '/a.py' } }] },
    });
    debuggee.write(Buffer.concat([frame(stack('/book.ipynb#cell 1')), frame({ event: 'continued' })]));
    adapter.handleMessage({ type: 'request', command: 'threads' });
    await until(() => asked().length === 2 && opened.length === 1);
    assert.deepEqual([opened, told], [['/book.ipynb#cell 1'], []], 'nothing overtakes what waits');
    opening.resolve();
    await until(() => told.length === 2);
    assert.deepEqual(told, [stack('cell-uri:1'), { event: 'continued' }]);
    debuggee.write(frame(stack('/c.py')));
    await until(() => told.length === 3);
    assert.deepEqual(told[2], stack('/c.py'));
  });

  it('cancels the run when the user stops the session', async () => {
    await open();
    debuggee.write(
      frame({ type: 'response', command: 'initialize', success: true, body: { supportsTerminateRequest: true, a: 1 } }),
    );
    await until(() => told.length === 1);
    assert.deepEqual(told[0]?.body, { supportsTerminateRequest: false, supportTerminateDebuggee: true, a: 1 });
    adapter.handleMessage({ seq: 7, type: 'request', command: 'disconnect', arguments: { terminateDebuggee: true } });
    await until(() => told.length === 3);
    assert.equal(cancelled, 1);
    assert.deepEqual(
      told.slice(1).map(({ command, event, request_seq: of }) => command ?? [event, of]),
      ['disconnect', ['terminated', undefined]],
    );
    assert.equal(told[1]?.request_seq, 7);
    assert.deepEqual(asked(), []);
  });

  it('leaves the run alone when the editor only disconnects', async () => {
    await open();
    adapter.handleMessage({ seq: 7, type: 'request', command: 'disconnect', arguments: { terminateDebuggee: false } });
    await until(() => asked().length === 1);
    assert.equal(asked()[0]?.command, 'disconnect');
    assert.equal(cancelled, 0);
  });

  it('ends the session with the run, once', async () => {
    await open();
    debuggee.end(frame({ type: 'event', event: 'terminated' }));
    await until(() => told.length === 1);
    await new Promise((resolve) => debuggee.once('close', resolve));
    adapter.handleMessage({ seq: 9, type: 'request', command: 'threads' });
    adapter.handleMessage({ seq: 10, type: 'request', command: 'disconnect', arguments: { terminateDebuggee: true } });
    await until(() => told.length === 3);
    assert.deepEqual(
      told.map(({ event, request_seq: of }) => event ?? of),
      ['terminated', 9, 10],
    );
    assert.equal(cancelled, 0);
  });

  it('reports when the run is held and when it continues', async () => {
    await open();
    for (const event of ['stopped', 'continued', 'stopped']) debuggee.write(frame({ type: 'event', event, body: {} }));
    await until(() => told.length === 3);
    assert.deepEqual(phases, ['held', 'going', 'held']);
    debuggee.destroy();
    await until(() => told.length === 4);
    assert.deepEqual(phases.slice(3), ['over']);
  });

  it('halts at a failure if configured', async () => {
    await open(true);
    const ask = (filters: string[]): void =>
      adapter.handleMessage({ seq: 1, type: 'request', command: 'setExceptionBreakpoints', arguments: { filters } });
    ask(['raised']);
    ask(['uncaught']);
    await until(() => asked().length === 2);
    assert.deepEqual(
      asked().map((message) => message.arguments?.['filters']),
      [['raised', 'uncaught'], ['uncaught']],
    );
  });
});
