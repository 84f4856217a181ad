import source from 'worker:./highlightWorker.ts';
import { BoundedThread } from '../boundedThread.ts';
import { type Colours, isHighlightable } from './colours.ts';
import type { HighlightReply, HighlightRequest } from './highlightWorker.ts';

/** Code that takes longer stays plain; ordinary code takes a few milliseconds, and the first of a page some more. */
const limitInMs = 2_000;
const maxOverruns = 5;

/** The one thread of the page that colours code. */
const thread = new BoundedThread<HighlightRequest, HighlightReply>(source, limitInMs, maxOverruns);

/** The colours of the code; undefined if it has none or they take too long. Never rejects. */
export function coloursOf(code: string, language: string): Promise<Colours | undefined> {
  return language === '' || !isHighlightable(code) ? Promise.resolve(undefined) : thread.ask({ code, language });
}
