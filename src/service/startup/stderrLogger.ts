import type { Writable } from 'node:stream';
import type { Logger } from '../../shared/log.ts';
import { redact } from '../../shared/redact.ts';

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof levels)[number];

export function isLogLevel(text: string): text is LogLevel {
  return (levels as readonly string[]).includes(text);
}

/** Maximum size of unread output. Further messages are dropped and counted. */
const maxWaitingBytes = 1024 * 1024;

/**
 * Writes to standard error, one line per message, without secrets. Control characters cannot forge a line. The service does not depend on a
 * reader.
 */
export function createStderrLogger(
  minLevel: LogLevel,
  secrets: readonly string[],
  stream: Writable = process.stderr,
): Logger {
  let isGone = false;
  let leftOut = 0;
  stream.on('error', () => {
    isGone = true;
  });
  const write =
    (level: LogLevel) =>
    (message: string): void => {
      if (isGone || levels.indexOf(level) < levels.indexOf(minLevel)) return;
      if (stream.writableLength > maxWaitingBytes) {
        leftOut += 1;
        return;
      }
      const at = new Date().toISOString();
      const line = redact(message, secrets).replace(/[\x00-\x1f\x7f]+/g, ' ');
      const gap = leftOut === 0 ? '' : `${at} warn ${leftOut} lines are missing here, because nobody read them.\n`;
      leftOut = 0;
      stream.write(`${gap}${at} ${level} ${line}\n`);
    };
  return {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}
