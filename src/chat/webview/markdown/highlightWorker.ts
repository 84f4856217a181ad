/** The thread that colours code: its own, since the grammars of some languages can take for ever over what a model writes. */
import type { Colours } from './colours.ts';
import { highlight } from './highlighter.ts';

export interface HighlightRequest {
  readonly code: string;
  readonly language: string;
}

/** The worker's answer to each request, in order. */
export type HighlightReply = Colours | undefined;

self.addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  const reply: HighlightReply = highlight(data.code, data.language);
  self.postMessage(reply);
});
