import { causesOf } from '../shared/http/causes.ts';

/** What the system said beneath an error: fetch and TLS hide it several causes down. */
export interface FailureCause {
  /** `ECONNREFUSED`, `CERT_HAS_EXPIRED`, …; empty if there is none. */
  readonly code: string;
  readonly address?: string;
  readonly port?: number;
  /** The texts of all causes, for what has no code. */
  readonly text: string;
}

export function causeOf(error: unknown): FailureCause {
  const causes = causesOf(error);
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
  const found = causes.find(({ code }) => isText(code));
  return {
    code: isText(found?.code) ? found.code : '',
    address: typeof found?.address === 'string' ? found.address : undefined,
    port: typeof found?.port === 'number' ? found.port : undefined,
    text: causes.flatMap(({ message }) => (typeof message === 'string' ? [message] : [])).join('; '),
  };
}
