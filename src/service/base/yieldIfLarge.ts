/** What is longer is worked on in several turns, so that others come between. */
const largeText = 1_000_000;

/** Ends this turn of the event loop if the text is so long that each further step with it takes a while. */
export async function yieldIfLarge(text: string): Promise<void> {
  if (text.length > largeText) await new Promise((resolve) => setImmediate(resolve));
}
