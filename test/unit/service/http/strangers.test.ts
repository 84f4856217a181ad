import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { mock } from 'node:test';
import { createStrangers, type Strangers } from '../../../../src/service/http/server.ts';

describe('connections that have shown no token', () => {
  let nowInMs: number;
  let gone: string[];
  let strangers: Strangers;
  beforeEach(() => {
    [nowInMs, gone] = [0, []];
    mock.timers.enable({ apis: ['setInterval'] });
    mock.method(performance, 'now', () => nowInMs);
  });
  afterEach(() => {
    strangers.dispose();
    mock.timers.reset();
    mock.reset();
  });

  const socket = (name: string, port: number): Socket => {
    const made = Object.assign(new EventEmitter(), {
      remoteAddress: '127.0.0.1',
      remotePort: port,
      destroy() {
        gone.push(name);
        made.emit('close');
      },
    });
    return made as unknown as Socket;
  };
  const pass = (durationInMs: number): void => {
    for (let left = durationInMs; left > 0; left -= 500) {
      nowInMs += 500;
      mock.timers.tick(500);
    }
  };

  it('are closed once their time is up, each in its turn', () => {
    strangers = createStrangers({ maxCount: 10, timeoutInMs: 5000 });
    strangers.add(socket('a', 1));
    pass(2000);
    strangers.add(socket('b', 2));
    pass(2500);
    assert.deepEqual(gone, []);
    pass(500);
    assert.deepEqual(gone, ['a']);
    pass(2000);
    assert.deepEqual(gone, ['a', 'b']);
  });

  it('are strangers no more once they are welcome, with TLS above them too', () => {
    strangers = createStrangers({ maxCount: 10, timeoutInMs: 5000 });
    strangers.add(socket('below', 1));
    strangers.welcome(socket('above', 1));
    strangers.add(socket('other', 2));
    pass(60_000);
    assert.deepEqual(gone, ['other']);
  });

  it('are at most so many: the oldest goes, and none that has gone or is welcome counts', () => {
    strangers = createStrangers({ maxCount: 2, timeoutInMs: 5000 });
    const [a, b, c, d] = (['a', 'b', 'c', 'd'] as const).map((name, place) => socket(name, place));
    strangers.add(a!);
    strangers.add(b!);
    assert.deepEqual(gone, []);
    strangers.add(c!);
    assert.deepEqual(gone, ['a']);
    b!.emit('close');
    strangers.welcome(c!);
    strangers.add(d!);
    strangers.add(socket('e', 9));
    assert.deepEqual(gone, ['a']);
  });

  it('are looked at as often as a short time needs, and not any more after the end', () => {
    strangers = createStrangers({ maxCount: 2, timeoutInMs: 500 });
    strangers.add(socket('a', 1));
    pass(500);
    assert.deepEqual(gone, ['a']);
    strangers.add(socket('b', 2));
    strangers.dispose();
    pass(5000);
    assert.deepEqual(gone, ['a']);
  });
});
