/** A test that waits longer has found a fault, however slow the machine is. */
const patienceInMs = 60_000;

/**
 * Waits for a condition: looks again and again until `look` neither throws nor answers false.
 *
 *   await eventually(async () => assert.equal(await status.textContent(), 'Saved'));
 *   await eventually(() => server.requests.length > 0, 'a request');
 *
 * @param what for the error of a condition that only answers false
 * @param pauseInMs between the first two looks; it grows to half a second, since each look at a window takes time from the machine
 * @throws what the last look threw, once it has been in vain for a minute
 */
export async function eventually(look: () => unknown, what = 'the condition', pauseInMs = 50): Promise<void> {
  const end = performance.now() + patienceInMs;
  for (let pause = pauseInMs; ; pause = Math.min(pause * 1.5, 500)) {
    let failure: unknown = new Error(`Waited in vain for ${what} for ${patienceInMs / 1000} s.`);
    try {
      if ((await look()) !== false) return;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > end) throw failure;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
