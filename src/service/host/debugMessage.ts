/** A message of the Debug Adapter Protocol, as far as it is looked into here. */
export interface DebugMessage {
  readonly seq?: number;
  readonly type?: string;
  readonly command?: string;
  readonly event?: string;
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly arguments?: Record<string, unknown>;
  readonly body?: Record<string, unknown>;
}
