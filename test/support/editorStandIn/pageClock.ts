/** What happens later on the page of a test: timers, frames and other sizes, each when the test says so; and its clipboard. */
import { inWords, note } from '../trail.ts';

/** What waits on the page's clock; a test lets it pass. */
export const pageTimers: (() => void)[] = [];
/** The work of each timer, by the number that the page knows it by. */
const timersMade = new Map<unknown, () => void>();
export function pageTimeout(work: () => void): number {
  const id = timersMade.size + 1;
  timersMade.set(id, work);
  pageTimers.push(work);
  return id;
}
export const clearNodeTimeout = globalThis.clearTimeout;
export function clearPageTimeout(timer?: Parameters<typeof clearNodeTimeout>[0]): void {
  const work = timersMade.get(timer);
  if (!work) return clearNodeTimeout(timer);
  const at = pageTimers.indexOf(work);
  if (at >= 0) pageTimers.splice(at, 1);
}

/** What is drawn with the next frame, and what hears of another size; a test lets both happen. */
export const pageFrames: (() => void)[] = [];
export const pageSizes: (() => void)[] = [];
/** What was put into the clipboard. */
export const pageClipboard: string[] = [];
export const clipboard = {
  writeText: async (text: string) => {
    note(`copies ${inWords(text)}`);
    pageClipboard.push(text);
  },
};

export function passFrames(): void {
  while (pageFrames.length > 0) for (const draw of pageFrames.splice(0)) draw();
}
