import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { type DebugMessage, StopToldAgain } from '../../../../src/service/host/runDebugAdapter.ts';

const stopped = (reason: string, threadId = 1): DebugMessage => ({ event: 'stopped', body: { reason, threadId } });

describe('the stop at an exception that is told again', () => {
  let again: DebugMessage[];
  let stop: StopToldAgain;
  let seq: number;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    [again, seq] = [[], 0];
    stop = new StopToldAgain((message) => void again.push(message));
  });
  afterEach(() => mock.timers.reset());

  /** The editor asks for the stack, and its list of threads asks before the answer has come. */
  function askTwice(given: object = {}): void {
    for (const levels of [1, 20])
      stop.fromEditor({
        seq: (seq += 1),
        command: 'stackTrace',
        arguments: { threadId: 1, startFrame: 0, levels, ...given },
      });
    for (const request of [seq - 1, seq])
      stop.toEditor({ type: 'response', command: 'stackTrace', request_seq: request });
  }

  it('is told where two answers made the frames and no box opened', () => {
    stop.toEditor(stopped('exception'));
    askTwice();
    mock.timers.tick(399);
    assert.deepEqual(again, []);
    mock.timers.tick(1);
    assert.deepEqual(again, [stopped('exception')]);
  });

  it('is told no more once the box opens, and twice at most', () => {
    stop.toEditor(stopped('exception'));
    askTwice();
    mock.timers.tick(400);
    askTwice();
    stop.fromEditor({ seq: 90, command: 'exceptionInfo', arguments: { threadId: 1 } });
    mock.timers.tick(1000);
    assert.equal(again.length, 1);
    for (let count = 0; count < 3; count += 1) {
      askTwice();
      mock.timers.tick(400);
    }
    assert.equal(again.length, 2);
  });

  const quiet: Record<string, () => void> = {
    'the program goes on before the debugger says so': () => {
      stop.toEditor(stopped('exception'));
      askTwice();
      stop.fromEditor({ seq: 95, command: 'continue', arguments: { threadId: 1 } });
    },
    'one answer made the frames': () => {
      stop.toEditor(stopped('exception'));
      stop.fromEditor({ seq: 1, command: 'stackTrace', arguments: { threadId: 1, startFrame: 0, levels: 1 } });
      stop.toEditor({ type: 'response', command: 'stackTrace', request_seq: 1 });
    },
    'the rest of the frames was asked for': () => {
      stop.toEditor(stopped('exception'));
      askTwice({ startFrame: 1 });
    },
    'the stack is that of another thread': () => {
      stop.toEditor(stopped('exception'));
      askTwice({ threadId: 2 });
    },
    'the program stopped at a breakpoint': () => {
      stop.toEditor(stopped('breakpoint'));
      askTwice();
    },
    'it stopped again, for another reason': () => {
      stop.toEditor(stopped('exception'));
      askTwice();
      stop.toEditor(stopped('step'));
    },
    'the program ended': () => {
      stop.toEditor(stopped('exception'));
      askTwice();
      stop.toEditor({ event: 'terminated' });
    },
    'the program goes on': () => {
      stop.toEditor(stopped('exception'));
      askTwice();
      stop.toEditor({ event: 'continued', body: { threadId: 1 } });
    },
    'the session is over': () => {
      stop.toEditor(stopped('exception'));
      askTwice();
      stop.dispose();
    },
  };
  for (const [when, act] of Object.entries(quiet))
    it(`is not told where ${when}`, () => {
      act();
      mock.timers.tick(1000);
      assert.deepEqual(again, []);
    });
});
