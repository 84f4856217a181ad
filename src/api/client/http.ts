/** The part of fetch that the client needs; the platform's fetch fits, and so does a thin one over another transport. */
export type Fetch = (url: string, request: HttpRequest) => Promise<HttpResponse>;

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Redirects are the client's to judge, since they may lead a token away. */
  readonly redirect: 'manual';
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}
