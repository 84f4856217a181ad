import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { createStderrLogger, isLogLevel } from '../../../../src/service/startup/stderrLogger.ts';

describe('what the service writes to standard error', () => {
  let written: string;
  /** Lets the reader go on. */
  let read: (() => void) | undefined;
  let isRead: boolean;
  let stream: Writable;
  beforeEach(() => {
    written = '';
    isRead = true;
    stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        written += chunk.toString();
        if (isRead) done();
        else read = done;
      },
    });
  });
  const lines = (): string[] =>
    written
      .replaceAll(/^\d{4}-\d\d-\d\dT[\d:.]+Z /gm, '')
      .split('\n')
      .slice(0, -1);

  it('is a line a message, from the level on that is wanted, with its time', () => {
    const logger = createStderrLogger('info', [], stream);
    for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const) logger[level](`of ${level}`);
    assert.deepEqual(lines(), ['info of info', 'warn of warn', 'error of error']);
    assert.match(written, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info of info\n/);
    const talkative = createStderrLogger('trace', [], stream);
    talkative.trace('all');
    talkative.debug('more');
    assert.deepEqual(lines().slice(3), ['trace all', 'debug more']);
  });

  it('forges no line, and holds no secret', () => {
    createStderrLogger('info', ['the-secret-token'], stream).warn('a\r\n2024 error b\x1b[2J\x7f of the-secret-token');
    const [line = '', more] = lines();
    assert.match(line, /^warn a 2024 error b \[2J {2}of /);
    assert.doesNotMatch(line, /the-secret-token/);
    assert.equal(more, undefined);
  });

  it('is left out where nobody reads, and how much is said later', () => {
    const logger = createStderrLogger('info', [], stream);
    isRead = false;
    const long = 'x'.repeat(600_000);
    for (const message of [long, long, 'lost', 'lost too']) logger.info(message);
    isRead = true;
    read?.();
    logger.info('again');
    assert.deepEqual(
      lines().map((line) => line.slice(0, 60)),
      [
        `info ${'x'.repeat(55)}`,
        `info ${'x'.repeat(55)}`,
        'warn 2 lines are missing here: nobody read them.',
        'info again',
      ],
    );
    logger.info('and on');
    assert.deepEqual(lines().slice(4), ['info and on']);
  });

  it('goes nowhere once the reader is gone, and the service goes on', async () => {
    const logger = createStderrLogger('info', [], stream);
    stream.destroy(new Error('EPIPE'));
    await new Promise((resolve) => setImmediate(resolve));
    logger.error('for nobody');
    assert.equal(written, '');
  });

  it('keeps nothing for a reader who is gone, also where the stream stays open', async () => {
    const broken = new Writable({ autoDestroy: false, write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    const logger = createStderrLogger('info', [], broken);
    logger.info('lost');
    await new Promise((resolve) => setImmediate(resolve));
    const before = broken.writableLength;
    for (const message of ['one', 'two']) logger.error(message);
    assert.equal(broken.writableLength, before);
  });

  it('has the levels that the command line names', () => {
    assert.deepEqual(['trace', 'debug', 'info', 'warn', 'error', 'fatal', ''].filter(isLogLevel), [
      'trace',
      'debug',
      'info',
      'warn',
      'error',
    ]);
  });
});
