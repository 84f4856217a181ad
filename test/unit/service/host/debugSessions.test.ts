import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { isAbort } from '../../../../src/shared/errors.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';
import { answerJson, startHttpServer, type TestServer } from '../../../support/httpServer.ts';

const { createDebugAdapter } = await import('../../../../src/service/host/debugSessions.ts');
const { DebuggedRuns } = await import('../../../../src/service/host/debugSessions.ts');

describe('a debug session of a job', () => {
  let service: TestServer;
  let debuggee: Server;
  let sockets: Socket[];
  let states: object[];
  let runs: InstanceType<typeof DebuggedRuns>;
  let told: unknown[];
  let started: string[];
  let notes: string[];
  let isCancelBroken: boolean;

  beforeEach(async () => {
    editor.reset();
    [sockets, told, started, notes] = [[], [], [], []];
    isCancelBroken = false;
    debuggee = createTcpServer((socket) => void sockets.push(socket.on('error', () => undefined))).listen(
      0,
      '127.0.0.1',
    );
    await once(debuggee, 'listening');
    states = [{ phase: 'ready', port: (debuggee.address() as AddressInfo).port, secret: 's' }];
    service = await startHttpServer(({ url }, response) =>
      answerJson(
        response,
        JSON.stringify(
          url.includes('debug-state') ? (states.length > 1 ? states.shift() : states[0]) : { run_id: '5' },
        ),
        url.endsWith('/cancel') && isCancelBroken ? 500 : 200,
      ),
    );
    runs = new DebuggedRuns();
    runs.onDidChange(() => told.push(runs.phaseOf('5')));
  });
  afterEach(async () => {
    sockets.forEach((socket) => socket.destroy());
    debuggee.close();
    await service.close();
  });

  const open = (configuration: object): Promise<unknown> =>
    createDebugAdapter(
      {
        launcher: async () => ({ start: async () => ({ url: service.url, token: 't' }) }) as never,
        log: { ...silentLogger, debug: (message: string) => void notes.push(message) } as never,
        onStarted: (runId) => void started.push(runId),
        debuggedRuns: runs,
      },
      { name: 'Debug etl', configuration } as never,
    );
  const paths = (): string[] => service.requests.map(({ url }) => String(url).split('?')[0] ?? '');
  const event = (name: string): string => {
    const text = JSON.stringify({ type: 'event', event: name, body: {} });
    return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  };

  it('starts a run, tells of it, and knows whether it is held until the session is over', async () => {
    states.unshift({ phase: 'waiting' }, { phase: 'installing' }, { phase: 'installing' });
    await open({ jobId: '7', parameters: { python_params: ['a'] } });
    assert.deepEqual([started, told, paths()[0]], [['5'], ['going'], '/api/millrace/debug-run']);
    assert.deepEqual(JSON.parse(service.requests[0]?.body ?? ''), { python_params: ['a'], job_id: '7' });
    assert.deepEqual(
      [editor.progress[0]?.options['title'], editor.progress[0]?.options['cancellable']],
      ['Debug etl', true],
    );
    assert.deepEqual(editor.progress[0]?.reports, [
      { message: 'starting the run…' },
      { message: 'installing the debugger (debugpy) from PyPI, this once…' },
    ]);
    await eventually(() => assert.equal(sockets.length, 1));
    sockets[0]?.write(event('stopped'));
    await eventually(() => assert.deepEqual(told, ['going', 'held']));
    sockets[0]?.write(event('continued'));
    await eventually(() => assert.deepEqual(told, ['going', 'held', 'going']));
    sockets[0]?.destroy();
    await eventually(() => assert.deepEqual(told, ['going', 'held', 'going', undefined]));
    assert.equal(paths().includes('/api/2.0/jobs/runs/cancel'), false);
  });

  it('hands the run what the editor says, and ends it with the session', async () => {
    const opened = (await open({ jobId: '7', haltAtFailure: true })) as {
      implementation: { handleMessage(message: object): void; onDidSendMessage(take: (message: object) => void): void };
    };
    const { implementation } = opened;
    const sent: object[] = [];
    implementation.onDidSendMessage((message) => sent.push(message));
    await eventually(() => assert.equal(sockets.length, 1));
    let received = '';
    sockets[0]?.on('data', (chunk) => (received += String(chunk)));
    implementation.handleMessage({ seq: 1, type: 'request', command: 'setExceptionBreakpoints', arguments: {} });
    await eventually(() => assert.match(received, /^s\n[^{]*\{.*"filters":\["uncaught"\]/s));
    states = [{ phase: 'over', message: '' }];
    implementation.handleMessage({ seq: 2, type: 'request', command: 'disconnect' });
    await eventually(() => assert.equal(runs.phaseOf('5'), undefined));
    assert.equal(paths().filter((path) => path === '/api/2.0/jobs/runs/cancel').length, 1);
    assert.deepEqual(sent[0], { seq: 0, type: 'response', request_seq: 2, command: 'disconnect', success: true });
  });

  it('cancels a run that nobody can debug, and says why', async () => {
    states = [{ phase: 'over', message: 'There is no Python.' }];
    await assert.rejects(open({ jobId: '7' }), /There is no Python\./);
    assert.deepEqual([told, paths().includes('/api/2.0/jobs/runs/cancel')], [['going', undefined], true]);
  });

  it('says why nobody can debug a run even where that cannot be cancelled', async () => {
    [states, isCancelBroken] = [[{ phase: 'over', message: 'There is no Python.' }], true];
    await assert.rejects(open({ jobId: '7' }), /There is no Python\./);
    assert.deepEqual([told, notes], [['going', undefined], ['The local service answered 500.']]);
  });

  it('is given up when the user says so', async () => {
    states = [{ phase: 'waiting' }];
    const opened = open({ submit: { run_name: 'x' } });
    await eventually(() => assert.ok(paths().includes('/api/millrace/debug-state')));
    editor.progress[0]?.cancel();
    states = [{ phase: 'over', message: '' }];
    await assert.rejects(opened, isAbort);
    assert.deepEqual([runs.phaseOf('5'), paths()[0]], [undefined, '/api/millrace/debug-submit']);
  });

  it('starts nothing where it names no job', async () => {
    await assert.rejects(open({}), /names no job; nothing was started/);
    assert.deepEqual([service.requests.length, started], [0, []]);
  });

  it('halts at failures only where that is asked for, and notes down what breaks under the name of its run', async () => {
    for (const haltAtFailure of [undefined, 'yes']) {
      const { implementation } = (await open({ jobId: '7', haltAtFailure })) as {
        implementation: { handleMessage(message: object): void; dispose(): void };
      };
      await eventually(() => assert.equal(sockets.length, 1));
      let received = '';
      sockets[0]?.on('data', (chunk) => (received += String(chunk)));
      implementation.handleMessage({ seq: 1, command: 'setExceptionBreakpoints', arguments: { filters: ['raised'] } });
      await eventually(() => assert.match(received, /"filters":\["raised"\]/));
      sockets[0]?.resetAndDestroy();
      await eventually(() => assert.equal(runs.phaseOf('5'), undefined));
      implementation.dispose();
      sockets = [];
    }
    assert.equal(notes.length, 2);
    for (const note of notes) assert.match(note, /^Debugging run 5: .*ECONNRESET/);
    assert.equal(editor.progress[0]?.options['location'], 15);
  });

  it('has another run of the same where its session is restarted', async () => {
    const configuration = { runId: '61', submit: { run_name: 'x' } };
    await open(configuration);
    assert.deepEqual([paths(), started], [['/api/millrace/debug-state'], ['61']]);
    await open(configuration);
    assert.deepEqual(paths().slice(1), ['/api/millrace/debug-submit', '/api/millrace/debug-state']);
    assert.deepEqual(started, ['61', '5']);
  });
});
