import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import {
  type DebugMessage,
  type NotebookCells,
  RunDebugAdapter,
  type RunDebugAdapterOptions,
} from '../../../../src/service/host/runDebugAdapter.ts';

function frame(content: object): Buffer {
  const text = JSON.stringify(content);
  return Buffer.from(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

describe('the editor’s side of a debugged run', () => {
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

  it('shows the secret first, and turns the launch into an attach and its answer back', async () => {
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

  it('puts messages together however they come', async () => {
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

  it('names the cells of notebooks as either side does, and opens a notebook before its cells are shown', async () => {
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

  it('tells that breakpoints of cells are met, where the debugger finds no file of that name', async () => {
    await open(false, {
      toDebugger: (path) => path,
      toEditor: (path) => path.replace('/book.ipynb#cell 1', 'cell-uri:1'),
      open: async () => undefined,
    });
    const missing = 'Breakpoint in file that does not exist.';
    const answer = (breakpoints: object[]): DebugMessage => ({
      type: 'response',
      command: 'setBreakpoints',
      body: { breakpoints },
    });
    const [file, cell] = [{ path: '/gone.py' }, { path: '/book.ipynb#cell 1' }];
    const given = [
      { verified: false, message: missing, source: cell, line: 2 },
      { verified: false, message: 'The condition is no Python.', source: cell },
      { verified: false, message: missing, source: file },
    ];
    debuggee.write(frame(answer(given)));
    await until(() => told.length === 1);
    const source = { path: 'cell-uri:1' };
    assert.deepEqual(
      told[0],
      answer([{ verified: true, source, line: 2 }, { ...given[1], source }, given[2] as object]),
    );
  });

  it('has the editor stop by a disconnect, which cancels the run', async () => {
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

  it('leaves the run alone where the editor only leaves', async () => {
    await open();
    adapter.handleMessage({ seq: 7, type: 'request', command: 'disconnect', arguments: { terminateDebuggee: false } });
    await until(() => asked().length === 1);
    assert.equal(asked()[0]?.command, 'disconnect');
    assert.equal(cancelled, 0);
  });

  it('ends the session with the run, once, and answers what is asked afterwards', async () => {
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

  it('tells when the run is held and when it goes on', async () => {
    await open();
    for (const event of ['stopped', 'continued', 'stopped']) debuggee.write(frame({ type: 'event', event, body: {} }));
    await until(() => told.length === 3);
    assert.deepEqual(phases, ['held', 'going', 'held']);
    debuggee.destroy();
    await until(() => told.length === 4);
    assert.deepEqual(phases.slice(3), ['over']);
  });

  it('tells again of an exception over which the editor opened no box', async () => {
    await open();
    debuggee.write(frame({ type: 'event', event: 'stopped', body: { reason: 'exception', threadId: 1 } }));
    await until(() => told.length === 1);
    for (const seq of [1, 2])
      adapter.handleMessage({ seq, type: 'request', command: 'stackTrace', arguments: { threadId: 1, startFrame: 0 } });
    for (const seq of [1, 2]) debuggee.write(frame({ type: 'response', command: 'stackTrace', request_seq: seq }));
    await until(() => told.length === 4);
    assert.deepEqual(told[3], told[0]);
  });

  it('ends the session where the debugger vanishes', async () => {
    await open();
    debuggee.destroy();
    await until(() => told.length === 1);
    assert.equal(told[0]?.event, 'terminated');
  });

  it('halts at a failure where that is asked for, beside what the user chose', async () => {
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

  const terminated = { seq: 0, type: 'event', event: 'terminated' };

  it('ends the session of a run that cannot be cancelled all the same, and notes down why', async () => {
    await open(false, undefined, { cancel: () => Promise.reject(new Error('the service is gone')) });
    adapter.handleMessage({ seq: 4, type: 'request', command: 'disconnect' });
    await until(() => told.length === 2);
    assert.deepEqual(told, [
      { seq: 0, type: 'response', request_seq: 4, command: 'disconnect', success: true },
      terminated,
    ]);
    assert.deepEqual([logged, phases], [['the service is gone'], ['over']]);
    debuggee.destroy();
    await new Promise((resolve) => debuggee.once('close', resolve));
    assert.equal(told.length, 2);
  });

  it('closes its connection when it is disposed, is over then, and tells nobody any more', async () => {
    await open();
    debuggee.write(frame({ type: 'event', event: 'continued' }));
    await until(() => told.length === 1);
    const closed = new Promise((resolve) => debuggee.once('close', resolve));
    adapter.dispose();
    assert.deepEqual(phases, ['going', 'over']);
    await closed;
    assert.deepEqual(told, [{ type: 'event', event: 'continued' }]);
  });

  it('notes down that it could not connect, and ends the session', async () => {
    await open();
    server.close();
    debuggee.destroy();
    adapter.dispose();
    const ended = Promise.withResolvers<DebugMessage>();
    adapter = new RunDebugAdapter({
      address: { port: 1, secret: 's' },
      haltsAtFailure: false,
      cancel: async () => undefined,
      log: (message) => void logged.push(message),
    });
    adapter.onDidSendMessage(ended.resolve);
    assert.deepEqual(await ended.promise, terminated);
    assert.match(logged.join(), /^connect ECONNREFUSED/);
  });

  it('changes nothing else of what either side says, and halts only where that is asked for', async () => {
    const cells: NotebookCells = {
      toDebugger: (path) => `d:${path}`,
      toEditor: (path) => `e:${path}`,
      open: async () => undefined,
    };
    for (const [haltsAtFailure, filters] of [
      [false, ['raised']],
      [true, ['raised', 'uncaught']],
    ] as const) {
      await open(haltsAtFailure, cells);
      const asks: DebugMessage[] = [
        { seq: 1, type: 'request', command: 'setExceptionBreakpoints', arguments: { filters: ['raised'], a: 1 } },
        { seq: 2, type: 'request', command: 'setExceptionBreakpoints', arguments: { filters: 'none' } },
        {
          seq: 3,
          type: 'request',
          command: 'source',
          arguments: { source: { path: 'x', name: 'n' }, sources: [{ source: { path: 'y' } }] },
        },
        {
          seq: 4,
          type: 'request',
          command: 'evaluate',
          arguments: { source: null, path: 'z', source2: { path: 'w' } },
        },
        { seq: 5, type: 'request', command: 'threads' },
      ];
      for (const ask of structuredClone(asks)) adapter.handleMessage(ask);
      await until(() => asked().length === asks.length);
      assert.deepEqual(asked(), [
        { ...asks[0], arguments: { filters, a: 1 } },
        haltsAtFailure ? { ...asks[1], arguments: { filters: ['uncaught'] } } : asks[1],
        { ...asks[2], arguments: { source: { path: 'd:x', name: 'n' }, sources: [{ source: { path: 'd:y' } }] } },
        ...asks.slice(3),
      ]);
      const missing = 'Breakpoint in file that does not exist.';
      const answers: DebugMessage[] = [
        { seq: 1, type: 'response', request_seq: 8, command: 'initialize', success: false },
        { seq: 2, type: 'response', command: 'x', body: { breakpoints: [{ verified: false, message: missing }] } },
        { seq: 3, type: 'response', command: 'setBreakpoints', body: { breakpoints: [{ verified: false }], a: 'ä€' } },
        { seq: 4, type: 'event', event: 'breakpoint', body: { breakpoint: { source: { path: 'p' } } } },
      ];
      debuggee.write(Buffer.concat(answers.map(frame)));
      await until(() => told.length === answers.length);
      assert.deepEqual(told, [
        ...answers.slice(0, 3),
        { ...answers[3], body: { breakpoint: { source: { path: 'e:p' } } } },
      ]);
      assert.deepEqual(logged, []);
      if (haltsAtFailure) return;
      adapter.dispose();
      debuggee.destroy();
      server.close();
    }
  });

  it('shows the cells of a notebook that cannot be opened as they are, in their order, and notes down why', async () => {
    const opened: (readonly string[])[] = [];
    await open(
      false,
      {
        toDebugger: (path) => path,
        toEditor: (path) => path,
        async open(paths) {
          opened.push(paths);
          throw new Error('no such notebook');
        },
      },
      {},
    );
    const of = (...paths: string[]): DebugMessage => ({
      type: 'event',
      event: 'x',
      body: { of: paths.map((path) => ({ source: { path } })) },
    });
    const messages = [
      of('/b.ipynb#cell 1', '/a.py', '/b.ipynb#cell 12'),
      of('/b.ipynb#cell 1x'),
      of('/c.ipynb#cell 2'),
      of('/a.py'),
    ];
    debuggee.write(Buffer.concat([...messages, { type: 'event', event: 'terminated' }].map(frame)));
    await until(() => told.length === 5);
    assert.deepEqual(told, [...messages, terminated]);
    assert.deepEqual(opened, [['/b.ipynb#cell 1', '/b.ipynb#cell 12'], ['/c.ipynb#cell 2']]);
    assert.deepEqual(logged, ['no such notebook', 'no such notebook']);
  });
});
