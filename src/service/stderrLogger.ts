import type { Logger } from '../shared/log.ts';
import { redact } from '../shared/log.ts';

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof levels)[number];

export function isLogLevel(text: string): text is LogLevel {
  return (levels as readonly string[]).includes(text);
}

/** Writes to standard error, one line a message, without the secrets. Control characters cannot forge a line. */
export function createStderrLogger(least: LogLevel, secrets: readonly string[]): Logger {
  const write = (level: LogLevel) => (message: string): void => {
    if (levels.indexOf(level) < levels.indexOf(least)) return;
    const line = redact(message, secrets).replace(/[\x00-\x1f\x7f]+/g, ' ');
    process.stderr.write(`${new Date().toISOString()} ${level} ${line}\n`);
  };
  return { trace: write('trace'), debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
