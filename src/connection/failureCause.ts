/** What the system said beneath an error: fetch and TLS hide it several causes down. */
export interface FailureCause {
  /** `ECONNREFUSED`, `CERT_HAS_EXPIRED`, …; empty where there is none. */
  readonly code: string;
  readonly address?: string;
  readonly port?: number;
  /** The texts of all causes, for what has no code. */
  readonly text: string;
}

export function causeOf(error: unknown): FailureCause {
  let found: Omit<FailureCause, 'text'> | undefined;
  const texts: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth++) {
    const { code, address, port, cause, errors, message } = current as Readonly<Record<string, unknown>>;
    if (typeof message === 'string') texts.push(message);
    if (typeof code === 'string' && code !== '') {
      found ??= {
        code,
        address: typeof address === 'string' ? address : undefined,
        port: typeof port === 'number' ? port : undefined,
      };
    }
    current = cause ?? (Array.isArray(errors) ? (errors as unknown[])[0] : undefined);
  }
  return { code: '', ...found, text: texts.join('; ') };
}
