import { eventually } from './eventually.ts';
import { answerJson, startHttpServer } from './httpServer.ts';

/** A server that answers as its mood is. */
export interface MoodyServer {
  readonly url: string;
  /** Its answers to questions for jobs, and to others; it gives none before it has any. */
  mood: readonly [jobs: string, others: string, status?: number] | undefined;
  /** When it was asked for jobs, by `performance.now()`. */
  readonly listedAtMs: readonly number[];
  close(): Promise<void>;
}

export async function startMoodyServer(): Promise<MoodyServer> {
  const listedAtMs: number[] = [];
  const server = await startHttpServer(async ({ url }, response) => {
    const isForJobs = url.includes('/jobs/list');
    if (isForJobs) listedAtMs.push(performance.now());
    await eventually(() => moody.mood !== undefined, 'a mood');
    if (moody.mood) answerJson(response, isForJobs ? moody.mood[0] : moody.mood[1], moody.mood[2]);
  });
  const moody: MoodyServer = { url: server.url, mood: undefined, listedAtMs, close: () => server.close() };
  return moody;
}
