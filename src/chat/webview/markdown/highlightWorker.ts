/** Worker that colors code. It is separate because the grammars of some languages can take forever on text that a model writes. */
import type { Colours } from './colours.ts';
import { highlight } from './highlighter.ts';

export interface HighlightRequest {
  readonly code: string;
  readonly language: string;
}

/** The worker's reply to each request, in order. */
export type HighlightReply = Colours | undefined;

self.addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  const reply: HighlightReply = highlight(data.code, data.language);
  self.postMessage(reply);
});
