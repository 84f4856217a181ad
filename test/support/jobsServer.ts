import type { ServerResponse } from 'node:http';
import { startHttpServer, type TestServer } from './httpServer.ts';

/** A service of jobs that keeps what it is given, and answers it in its own way. */
export interface JobsServer extends TestServer {
  readonly jobs: Map<number, Record<string, unknown>>;
  /** Requests that change something, as `create` or `reset 7`. */
  readonly mutations: string[];
  /** What the next requests are answered with in place of an answer, for each its status and headers. */
  readonly refusals: (readonly [status: number, headers: Record<string, string>])[];
  /** How long it thinks over each answer. */
  delayInMs?: number;
  /** When it began: one that was emptied gives its ids out again. */
  begunMs?: number;
  /** What it does before it answers. */
  before?: (path: string, response: ServerResponse) => Promise<void>;
  /** Replies in place of the server's own; `undefined` leaves the request to the server. */
  reply?: (path: string, query: URLSearchParams) => readonly [status: number, body: unknown] | undefined;
  /** What the service makes of settings that it is given. */
  habit?: (settings: Record<string, unknown>) => Record<string, unknown>;
}

/** @param token what requests are signed with; left out: nothing */
export async function startJobsServer(token?: string): Promise<JobsServer> {
  const jobs = new Map<number, Record<string, unknown>>();
  const mutations: string[] = [];
  const refusals: JobsServer['refusals'] = [];
  const kept = (settings: unknown): Record<string, unknown> => {
    const given = settings as Record<string, unknown>;
    return server.habit ? server.habit(given) : given;
  };
  const asJob = (id: number) => ({
    job_id: id,
    created_time: (server.begunMs ?? 1_700_000_000_000) + id,
    // Words of its own, a default and a number as a text.
    settings: { run_as_owner: true, max_concurrent_runs: '1', timeout_seconds: 0, ...jobs.get(id) },
  });
  const answers: Readonly<Record<string, (body: Record<string, unknown>, query: URLSearchParams) => unknown>> = {
    'jobs/create': (body) => {
      jobs.set(jobs.size + 7, kept(body));
      mutations.push('create');
      return { job_id: jobs.size + 6 };
    },
    'jobs/reset': ({ job_id: id, new_settings: settings }) => {
      jobs.set(Number(id), kept(settings));
      mutations.push(`reset ${Number(id)}`);
      return {};
    },
    'jobs/list': () => ({ jobs: [...jobs.keys()].map(asJob) }),
    'jobs/get': (_body, query) =>
      jobs.has(Number(query.get('job_id'))) ? asJob(Number(query.get('job_id'))) : undefined,
    'jobs/run-now': (body) => {
      mutations.push(`run ${JSON.stringify(body['notebook_params'] ?? body['python_params'] ?? [])}`);
      return { run_id: 5, number_in_job: 1 };
    },
    'jobs/runs/get': () => ({
      run_id: 5,
      job_id: 7,
      run_name: 'remote',
      state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: 'It broke.' },
    }),
    'jobs/runs/get-output': () => ({ logs: 'written there\n', metadata: { run_id: 5 } }),
    'jobs/runs/list': () => ({
      runs: [
        {
          run_id: 5,
          job_id: 7,
          run_name: 'remote',
          start_time: 1_700_000_000_000,
          state: { life_cycle_state: 'RUNNING' },
        },
      ],
      has_more: false,
    }),
  };
  const http = await startHttpServer(async (request, response) => {
    if (server.delayInMs !== undefined) await new Promise((resolve) => setTimeout(resolve, server.delayInMs));
    const url = new URL(request.url, 'http://localhost');
    await server.before?.(url.pathname.replace('/api/2.0/', ''), response);
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return reply(401, { message: 'No.' });
    const refusal = refusals.shift();
    if (refusal) return void response.writeHead(...refusal).end('{}');
    const own = server.reply?.(url.pathname.replace('/api/2.0/', ''), url.searchParams);
    if (own) return reply(...own);
    const answer = answers[url.pathname.replace('/api/2.0/', '')];
    const body = answer?.(
      request.body === '' ? {} : (JSON.parse(request.body) as Record<string, unknown>),
      url.searchParams,
    );
    if (body === undefined)
      return reply(404, { error_code: 'RESOURCE_DOES_NOT_EXIST', message: 'There is no such thing.' });
    return reply(200, body);
  });
  const server: JobsServer = { ...http, jobs, mutations, refusals };
  return server;
}
