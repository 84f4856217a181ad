import type { Browser, Page } from 'playwright-core';

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  ph: string;
  /** CPU microseconds of the thread. */
  tdur?: number;
  args?: { name?: string };
}

/**
 * CPU milliseconds of the longest tasks of the page's own thread while `action` runs, longest first: what else runs on the
 * machine does not count.
 */
export async function longestTasks(browser: Browser, page: Page, action: () => Promise<void>): Promise<number[]> {
  await browser.startTracing(page, { categories: ['-*', 'toplevel', '__metadata'] });
  let trace: Buffer;
  try {
    await action();
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents: events } = JSON.parse(trace.toString('utf8')) as { traceEvents: TraceEvent[] };
  const mainThreads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return events
    .filter(({ ph, pid, tid, tdur }) => ph === 'X' && tdur !== undefined && mainThreads.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000)
    .sort((left, right) => right - left);
}
