import http from 'node:http';
import type { AddressInfo } from 'node:net';

interface FortyRun {
  run_id: number;
  job_id: number;
  run_type: string;
  number_in_job: number;
  start_time: number;
  end_time: number;
  trigger: string;
  attempt_number?: number;
  original_attempt_run_id?: number;
  state: { life_cycle_state: string; result_state?: string; user_cancelled_or_timedout?: boolean };
  task?: object;
  overriding_parameters?: object;
}

interface FortyJob {
  job_id: number;
  created_time: number;
  settings: { name: string; spark_python_task?: object; notebook_task?: object; schedule?: object };
}

/** A server of a team's workspace, made for the view of jobs: what it has, and what it was asked. */
export interface WorkspaceOfForty {
  /** With `/refused` behind it, everything is refused. */
  readonly url: string;
  readonly jobs: FortyJob[];
  /** The newest first. */
  readonly runs: FortyRun[];
  /** Requests other than lists, in order: the route's last words and the body. */
  readonly sent: { route: string; body: Record<string, unknown> }[];
  /** Questions for the runs of one job that were under way at once, at most. */
  mostAtOnce: number;
  /** Questions for runs, of one job or of all, since the start. */
  runQuestions: { jobId: string | null; limit: number; offset: number }[];
  close(): void;
}

const names = ['nightly-billing', 'retried-load', 'timed-out-export', 'cancelled-copy', 'skipped-sync', 'lost-machine'];

/** Forty jobs: six of them went each in another way, then others ran thirty times, one failed and was skipped since, and most never ran. */
function fill(): { jobs: FortyJob[]; runs: FortyRun[] } {
  const results: FortyRun['state'][] = [
    { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
    { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
    { life_cycle_state: 'TERMINATED', result_state: 'TIMEDOUT', user_cancelled_or_timedout: true },
    { life_cycle_state: 'TERMINATED', result_state: 'CANCELED', user_cancelled_or_timedout: true },
    { life_cycle_state: 'SKIPPED' },
    { life_cycle_state: 'INTERNAL_ERROR' },
  ];
  const start = Date.now() - 3_600_000;
  const jobs = Array.from({ length: 40 }, (_, index): FortyJob => ({
    job_id: index + 1,
    created_time: start,
    settings: {
      name: names[index] ?? `report-${String(index).padStart(2, '0')}`,
      ...(index === 7
        ? { notebook_task: { notebook_path: '/n', base_parameters: { day: 'today' } } }
        : { spark_python_task: { python_file: '/a.py' } }),
      ...(index === 0 || index === 6
        ? {
            schedule: {
              quartz_cron_expression: '0 30 2 * * ?',
              timezone_id: 'UTC',
              pause_status: index === 0 ? 'UNPAUSED' : 'PAUSED',
            },
          }
        : {}),
    },
  }));
  const runs: FortyRun[] = [];
  const add = (jobId: number, state: FortyRun['state'], more: Partial<FortyRun> = {}): void => {
    const id = runs.length + 1;
    const at = start + id * 20_000;
    const isOver = !['RUNNING', 'PENDING'].includes(state.life_cycle_state);
    runs.push({
      run_id: id,
      job_id: jobId,
      run_type: 'JOB_RUN',
      number_in_job: id,
      start_time: at,
      end_time: isOver ? at + 9000 : 0,
      trigger: jobId === 1 ? 'PERIODIC' : 'ONE_TIME',
      state,
      ...more,
    });
  };
  results.forEach((state, index) => add(index + 1, state));
  add(
    2,
    { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
    { attempt_number: 1, original_attempt_run_id: 2, trigger: 'RETRY' },
  );
  for (let count = 0; count < 30; count += 1)
    add(10 + (count % 3), { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' });
  add(14, { life_cycle_state: 'RUNNING' });
  add(15, { life_cycle_state: 'PENDING' });
  // The older one is among none of the newest pages, the newer one is.
  add(36, { life_cycle_state: 'TERMINATED', result_state: 'FAILED' }, { start_time: start, end_time: start + 9000 });
  add(36, { life_cycle_state: 'SKIPPED' });
  return { jobs, runs: runs.toSorted((left, right) => right.start_time - left.start_time) };
}

/** Starts it on a free port of this machine. */
export async function startWorkspaceOfForty(): Promise<WorkspaceOfForty> {
  const { jobs, runs } = fill();
  const sent: WorkspaceOfForty['sent'] = [];
  const runQuestions: WorkspaceOfForty['runQuestions'] = [];
  let atOnce = 0;
  let lastId = runs.length;
  const listRuns = (url: URL, send: (body: object) => void): void => {
    const jobId = url.searchParams.get('job_id');
    const [limit, offset] = ['limit', 'offset'].map((name) => Number(url.searchParams.get(name) ?? 0));
    const size = limit || 20;
    const from = offset ?? 0;
    runQuestions.push({ jobId, limit: size, offset: from });
    const found = runs
      .filter((run) => jobId === null || run.job_id === Number(jobId))
      .filter((run) => !url.searchParams.has('active_only') || run.end_time === 0);
    const answer = (): void => send({ runs: found.slice(from, from + size), has_more: found.length > from + size });
    if (jobId === null) return answer();
    workspace.mostAtOnce = Math.max(workspace.mostAtOnce, ++atOnce);
    setTimeout(() => {
      atOnce -= 1;
      answer();
    }, 20);
  };
  /** What changes something; undefined for a route that is not there. */
  const change = (route: string, body: Record<string, unknown>): object | undefined => {
    const run = runs.find((one) => one.run_id === body['run_id']);
    const job = jobs.find((one) => one.job_id === body['job_id']);
    if (route === 'runs/cancel' && run) {
      run.state = { life_cycle_state: 'TERMINATED', result_state: 'CANCELED', user_cancelled_or_timedout: true };
      run.end_time = Date.now();
      return {};
    }
    if (route === 'runs/delete' && run) {
      runs.splice(runs.indexOf(run), 1);
      return {};
    }
    if (route === 'jobs/delete' && job) {
      jobs.splice(jobs.indexOf(job), 1);
      return {};
    }
    if (route === 'jobs/update' && job) {
      Object.assign(job.settings, body['new_settings']);
      return {};
    }
    if (route === 'jobs/reset' && job) {
      job.settings = body['new_settings'] as FortyJob['settings'];
      return {};
    }
    if (route === 'jobs/run-now' && job) {
      // An id is given once, also that of a run that was deleted.
      const id = (lastId = Math.max(lastId, ...runs.map((one) => one.run_id)) + 1);
      const state = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
      const at = Date.now();
      runs.unshift({
        run_id: id,
        job_id: job.job_id,
        run_type: 'JOB_RUN',
        number_in_job: id,
        start_time: at,
        end_time: at + 1,
        trigger: 'ONE_TIME',
        state,
        task: { notebook_task: job.settings.notebook_task, spark_python_task: job.settings.spark_python_task },
      });
      return { run_id: id, number_in_job: id };
    }
    return undefined;
  };
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://local/');
    const send = (body: object, status = 200): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const missing = (): void => send({ error_code: 'RESOURCE_DOES_NOT_EXIST', message: 'no' }, 404);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (url.pathname.startsWith('/refused/'))
        return send({ error_code: 'PERMISSION_DENIED', message: 'Not for you.' }, 403);
      const route = url.pathname.replace(/^\/api\/2\.0\//, '').replace(/^jobs\/(runs\/)/, '$1');
      if (route === 'jobs/list') return send({ jobs });
      if (route === 'runs/list') return listRuns(url, send);
      if (request.method === 'GET') {
        const [jobId, runId] = ['job_id', 'run_id'].map((name) => Number(url.searchParams.get(name)));
        const run = runs.find((one) => one.run_id === runId);
        if (route === 'runs/get-output' && run) return send({ metadata: run, logs: 'written\n' });
        const found = route === 'jobs/get' ? jobs.find((one) => one.job_id === jobId) : route === 'runs/get' && run;
        return found ? send(found) : missing();
      }
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
      sent.push({ route, body });
      const answer = change(route, body);
      return answer ? send(answer) : missing();
    });
  });
  const workspace: WorkspaceOfForty = {
    url: '',
    jobs,
    runs,
    sent,
    runQuestions,
    mostAtOnce: 0,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(workspace, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
