/** A message of the Debug Adapter Protocol, as far as it is looked into here. */
export interface DebugMessage {
  seq?: number;
  type?: string;
  command?: string;
  event?: string;
  request_seq?: number;
  success?: boolean;
  arguments?: Record<string, unknown>;
  body?: Record<string, unknown>;
}
