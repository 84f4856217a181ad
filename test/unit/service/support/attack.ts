/** A request that is meant to keep the service busy. */
export interface Attack {
  readonly title: string;
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  /** Made when it is sent: some are as large as a request may be. */
  readonly body?: () => string;
  /** The statuses with which it may be answered. Default: any below 500. */
  readonly answers?: readonly number[];
}

/** As large as a request may be, with room for what stands around it. */
export const nearlyTenMb = 10 * 1024 * 1024 - 4096;
