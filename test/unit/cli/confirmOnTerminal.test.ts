import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import readline from 'node:readline/promises';
import { mock } from 'node:test';
import { confirmOnTerminal } from '../../../src/cli/print.ts';

describe('a question to whoever sits there', () => {
  const { signal } = new AbortController();
  const wasTerminal = [process.stdin.isTTY, process.stderr.isTTY];
  let asked: unknown[];
  let answer: () => Promise<string>;
  let terminal: EventEmitter;
  let closed: number;
  beforeEach(() => {
    [asked, closed, answer] = [[], 0, async () => ''];
    [process.stdin.isTTY, process.stderr.isTTY] = [true, true];
    const createInterface = (streams: unknown): unknown => {
      asked.push(streams);
      terminal = new EventEmitter();
      return Object.assign(terminal, {
        question: (...args: unknown[]) => (asked.push(args), answer()),
        close: () => (closed += 1),
      });
    };
    mock.method(readline, 'createInterface', createInterface as never);
    syncBuiltinESMExports();
  });
  afterEach(() => {
    mock.reset();
    syncBuiltinESMExports();
    [process.stdin.isTTY, process.stderr.isTTY] = wasTerminal as [boolean, boolean];
  });

  it('is asked on standard error, and nothing but a yes is one', async () => {
    for (const [text, isYes] of [
      ['y', true],
      [' YES \n', true],
      ['Yes', true],
      ['', false],
      ['n', false],
      ['ye', false],
      ['yes please', false],
      ['no yes', false],
    ] as const) {
      answer = async () => text;
      assert.equal(await confirmOnTerminal('Deploy anyway?', signal), isYes, text);
    }
    assert.deepEqual(asked.slice(0, 2), [
      { input: process.stdin, output: process.stderr },
      ['Deploy anyway? [y/N] ', { signal }],
    ]);
    assert.equal(closed, 8);
  });

  it('is asked of nobody in a pipeline, which is no yes', async () => {
    answer = async () => 'yes';
    for (const terminals of [
      [false, true],
      [true, false],
      [undefined, undefined],
    ]) {
      [process.stdin.isTTY, process.stderr.isTTY] = terminals as [boolean, boolean];
      assert.equal(await confirmOnTerminal('Sure?', signal), false);
    }
    assert.deepEqual(asked, []);
  });

  it('ends with the command, and hands Ctrl+C on to it', async () => {
    const killed = mock.method(process, 'kill', () => true);
    answer = () => {
      terminal.emit('SIGINT');
      return Promise.reject(new Error('aborted'));
    };
    await assert.rejects(confirmOnTerminal('Sure?', signal), /aborted/);
    assert.deepEqual(
      killed.mock.calls.map((call) => call.arguments),
      [[process.pid, 'SIGINT']],
    );
    assert.equal(closed, 1);
  });
});
