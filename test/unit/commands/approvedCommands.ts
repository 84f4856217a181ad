import { jobSettings } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { loadJobFileService } from '../../../src/commands/loadJobFileService.ts';
import type { CommandServices } from '../../../src/commands/services.ts';
import type { Target } from '../../../src/commands/target.ts';
import type { Ui } from '../../../src/commands/ui.ts';
import type { Connection } from '../../../src/connection/connection.ts';
import type { CommandId } from '../../../src/shared/commandIds.ts';
import { AppError, describeError } from '../../../src/shared/errors.ts';
import { assertApproved } from '../../support/approved.ts';
import { Bench, goodFile, staging } from './commandSetup.ts';

/** Every command by its name, in the file that has most of it; its test holds what was approved of it. */
export const commandGroups = {
  arrange: [
    'millrace.job.pin',
    'millrace.job.unpin',
    'millrace.jobs.clearFilter',
    'millrace.jobs.filter',
    'millrace.jobs.filterByText',
    'millrace.jobs.showByJob',
    'millrace.jobs.showByTime',
    'millrace.jobs.sort',
  ],
  askChat: [
    'millrace.job.attachToChat',
    'millrace.run.askChat',
    'millrace.run.attachLine',
    'millrace.run.attachToChat',
  ],
  curl: ['millrace.job.copyAsCurl', 'millrace.run.copyAsCurl'],
  debugJob: ['millrace.job.debug', 'millrace.run.debugFailure'],
  deploy: ['millrace.jobFile.deploy'],
  endpoints: ['millrace.endpoint.create', 'millrace.endpoint.delete'],
  fix: ['millrace.run.fix'],
  handlers: [
    'millrace.change.apply',
    'millrace.change.discard',
    'millrace.job.copyId',
    'millrace.jobFile.jsonSchema',
    'millrace.jobs.loadMore',
    'millrace.jobs.refresh',
    'millrace.run.copyId',
  ],
  jobs: [
    'millrace.job.cancelAllRuns',
    'millrace.job.delete',
    'millrace.jobFile.compare',
    'millrace.jobFile.fromJson',
    'millrace.openJob',
  ],
  newJobFile: ['millrace.jobFile.new'],
  oneTimeRun: ['millrace.jobFile.submit'],
  pauseSchedule: ['millrace.job.pauseSchedule', 'millrace.job.resumeSchedule'],
  pull: ['millrace.job.openAsFile', 'millrace.job.pull'],
  replay: ['millrace.run.replay'],
  runNow: [
    'millrace.job.runNow',
    'millrace.job.runNowWithParameters',
    'millrace.run.repeat',
    'millrace.run.repeatWithChanges',
  ],
  runs: [
    'millrace.openRun',
    'millrace.run.cancel',
    'millrace.run.compare',
    'millrace.run.delete',
    'millrace.run.export',
    'millrace.run.openPage',
    'millrace.run.showOutput',
  ],
} as const satisfies Record<string, readonly CommandId[]>;

const uri = 'file:///w/nightly.job.yml';
const startMs = Date.UTC(2026, 0, 1);
const ofJob = (id: string, jobId: string, life: string, result?: string): object => ({
  run_id: id,
  job_id: jobId,
  number_in_job: id,
  run_type: 'JOB_RUN',
  start_time: startMs,
  end_time: life === 'TERMINATED' ? startMs + 60_000 : 0,
  run_page_url: `https://x.example/#job/${jobId}/run/${id}`,
  state: { life_cycle_state: life, result_state: result },
});

const targets: Record<string, Target> = {
  nothing: {},
  'a job': { jobId: '5', profileId: 'local' },
  'a job that is gone': { jobId: '99' },
  'a job of another profile': { jobId: '5', profileId: 'staging' },
  'a failed run': { runId: '11', jobId: '5', profileId: 'local' },
  'a run that goes on': { runId: '12', jobId: '5', profileId: 'local' },
  'a one-time run': { runId: '13' },
  'several rows': { runId: '12', all: [{ runId: '11' }, { runId: '12' }, { jobId: '5' }] },
  'a job file': { uri },
  'a new job file': { uri: 'file:///w/new.job.yml' },
  'no job file': { uri: 'file:///w/main.py' },
};

/** What the user takes of what is offered. */
type Choice = 'first' | 'last' | 'nothing';
type World = (bench: Bench) => Choice;
/** Each gives what the user chooses wherever something is asked. */
const worlds: Record<string, World> = {
  'the first of all': () => 'first',
  'the last of all': (bench) => {
    bench.preview = 'always';
    return 'last';
  },
  'nothing of all': () => 'nothing',
  'on production, refused': (bench) => {
    bench.profile = { ...staging, production: true };
    bench.refusal = new AppError('rejected', 'It may not be cancelled.');
    return 'first';
  },
  'the profile changes meanwhile': (bench) => {
    const { connections } = bench.services;
    const connect = connections.connect.bind(connections);
    connections.connect = async () => {
      const connection = await connect();
      bench.profile = staging;
      return connection;
    };
    return 'first';
  },
  'with nothing there': (bench) => {
    bench.texts.clear();
    bench.remote.clear();
    bench.runs = [];
    bench.remembered.clear();
    bench.output = undefined;
    return 'first';
  },
};

function prepared(world: World): { bench: Bench; choice: Choice } {
  const bench = new Bench();
  const settings = jobSettings.parse({
    name: 'nightly',
    existing_cluster_id: 'local',
    notebook_task: { notebook_path: '/n', base_parameters: { day: 'mon' } },
    schedule: { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC' },
  });
  bench.remote.set('5', settings as never);
  bench.remote.set('6', { ...settings, name: 'other', schedule: undefined } as never);
  const program = { spark_python_task: { python_file: '/main.py', parameters: ['--day', 'today'] } };
  bench.runs = [
    { ...ofJob('11', '5', 'TERMINATED', 'FAILED'), task: program, overriding_parameters: { python_params: ['x'] } },
    ofJob('12', '5', 'RUNNING'),
    {
      ...ofJob('13', '', 'TERMINATED', 'SUCCESS'),
      job_id: undefined,
      run_type: 'SUBMIT_RUN',
      run_name: 'once',
      task: program,
      cluster_spec: { existing_cluster_id: 'local' },
    },
    { ...ofJob('14', '5', 'TERMINATED', 'SUCCESS'), task: { notebook_task: { notebook_path: '/n' } } },
  ] as never;
  // What was started here, which has ended by the first look at it.
  bench.localRuns = [ofJob('77', '5', 'TERMINATED', 'SUCCESS'), ofJob('78', '5', 'TERMINATED', 'FAILED')] as never;
  bench.texts.set('file:///w/main.py', 'print(1)\n');
  bench.texts.set('file:///w/new.job.yml', goodFile.replace('nightly', 'fresh'));
  bench.texts.set('file:///w/broken.job.yml', `${goodFile}max_retry: 1\n`);
  bench.remembered.set(`local ${uri}`, '5');
  bench.programs.set('/main.py', 'print(1)\n');
  bench.inference = {
    listEndpoints: async () => [
      { name: 'guide', task: 'llm/v1/chat', endpoint_type: 'PAY_PER_TOKEN' },
      { name: 'mine', task: 'llm/v1/chat', endpoint_type: 'PROVISIONED_THROUGHPUT', description: 'Ours.' },
    ],
    createEndpoint: async () => undefined,
    deleteEndpoint: async () => undefined,
  };
  const choice = world(bench);
  bench.store.setJobs([...bench.remote].map(([id, each]) => ({ job_id: id, settings: each })) as never, startMs);
  bench.store.mergeRuns(bench.runs, startMs);
  return { bench, choice };
}

function told(value: unknown): string {
  const text = JSON.stringify(value, (name, each: unknown) => {
    if (each instanceof Function) return undefined;
    if (typeof each === 'bigint') return String(each);
    if (name !== 'value' || typeof each !== 'object' || each === null) return each;
    // Of what a row of a list stands for, its id says enough.
    const { run_id: run, job_id: job } = each as { run_id?: string; job_id?: string };
    return run ?? job ?? each;
  });
  return text?.slice(0, 1500) ?? '';
}

/** What only shows or writes something, and what asks; all else of the editor is told by what becomes of it. */
const written = new Set<string>(['progress', 'previewHtml', 'openUntitled', 'writeExport', 'compare', 'previewText']);

/** The bench with a user that always answers the same; everything that is said, asked and requested is written down. */
function answered({ services, trail }: Bench, choice: Choice): CommandServices {
  const saysYes = choice !== 'nothing';
  // A menu that comes again after each choice is left at some time.
  let asked = 0;
  const one = <T>(items: readonly T[]): T | undefined => {
    asked += 1;
    return saysYes && asked <= 12 ? items.at(choice === 'first' ? 0 : -1) : undefined;
  };
  const answers: Partial<Record<keyof Ui, (...args: never[]) => unknown>> = {
    pick: (_title: string, _hint: string, items: { label: string; value: unknown; separator?: boolean }[]) =>
      one(items.filter(({ separator }) => !separator))?.value,
    pickMany: (_title: string, _hint: string, items: { value: unknown; separator?: boolean }[]) =>
      saysYes ? items.filter(({ separator }) => !separator).map(({ value }) => value) : undefined,
    input: ({ value, validate }: { value?: string; validate?(text: string): string | undefined }) => {
      const text = value === undefined || value === '' ? 'typed' : value;
      if (saysYes && validate) trail.push(`input checked: ${validate(text)} / ${validate('')}`);
      return saysYes ? text : undefined;
    },
    info: (_text: string, action?: string) => (saysYes ? action : undefined),
    warn: (_text: string, action?: string) => (saysYes ? action : undefined),
    confirm: () => saysYes,
    decide: (_text: string, _detail: string, actions: string[]) => one(actions),
    review: (_uri: string, _text: string, _title: string, _message: string, actions: string[]) => one(actions),
  };
  const signals = new Set<AbortSignal>();
  const ui = new Proxy(services.ui, {
    get(real, name: keyof Ui) {
      const value = real[name] as unknown;
      if (!(value instanceof Function)) return value;
      return async (...args: unknown[]) => {
        const answer = answers[name] as ((...given: unknown[]) => unknown) | undefined;
        if (answer || written.has(name)) trail.push(`ui ${name} ${told(args)}`);
        if (answer) return answer(...args);
        if (name !== 'progress') return (value as (...given: unknown[]) => unknown)(...args);
        const { signal } = new AbortController();
        signals.add(signal);
        const [, task] = args as Parameters<Ui['progress']>;
        return task(signal).finally(() => trail.push('ui progress ends'));
      };
    },
  });
  /** Requests with what they say, and whether they end when what is shown of their progress is stopped. */
  const watched = <T extends object | undefined>(part: T): T =>
    part &&
    new Proxy(part, {
      get(real, name: string) {
        const call = (real as Record<string, unknown>)[name];
        if (!(call instanceof Function)) return call;
        return (...args: unknown[]) => {
          const { signal, ...options } = { ...(args.at(-1) as { signal?: AbortSignal }) };
          const given =
            signal === undefined ? args : [...args.slice(0, -1), ...(Object.keys(options).length > 0 ? [options] : [])];
          trail.push(`requests ${name} ${told(given)}${signal && signals.has(signal) ? ', can be stopped' : ''}`);
          return call(...args) as unknown;
        };
      },
    });
  const connected = ({ profile, client }: Connection): Connection => ({
    profile,
    client: {
      ...client,
      jobs: watched(client.jobs),
      inference: watched(client.inference),
      localService: watched(client.localService),
    },
  });
  const { connections } = services;
  const ofConnections: Partial<typeof connections> = {
    connect: async () => connected(await connections.connect()),
    connectTo: async (id) => {
      const found = await connections.connectTo(id);
      return found && connected(found);
    },
    confirmMutation: async (what, { profile }, detail, others = []) => {
      const instead = others.length === 0 ? '' : `\n[${others.join(' | ')}]`;
      trail.push(`mutation on ${profile.name}: ${what}${detail === undefined ? '' : `\n${detail}`}${instead}`);
      return saysYes;
    },
  };
  return {
    ...services,
    loadMoreRuns: async (jobId) => void trail.push(`more runs of ${jobId}`),
    ui,
    connections: new Proxy(connections, {
      get: (real, name: keyof typeof connections) => ofConnections[name] ?? real[name],
    }),
  };
}

/** Registers a test for each command of the group: what it says, asks and requests, whatever it is called on and whatever the answers are. */
export function holdApproved(group: keyof typeof commandGroups): void {
  const clock = Date.now;
  before(async () => {
    // A command that is the first to load them would tell what it does later than is waited for.
    await loadJobFileService();
    Date.now = () => startMs + 3_600_000;
  });
  after(() => (Date.now = clock));

  for (const id of commandGroups[group]) {
    it(`says, asks and requests what was approved: ${id}`, async () => {
      const lines: string[] = [];
      for (const [name, world] of Object.entries(worlds)) {
        const seen = new Map<string, string>();
        for (const [of, target] of Object.entries(targets)) {
          const all = await linesOf(id, target, world);
          const same = seen.get(all);
          lines.push(`${name}, ${of}${same === undefined ? `\n${all}` : `: as with ${same}\n`}`);
          seen.set(all, same ?? of);
        }
      }
      assertApproved(`command-${id.slice('millrace.'.length)}`, lines.join('').replaceAll(/"nowMs":\d+/g, '"nowMs":N'));
    });
  }
}

async function linesOf(id: CommandId, target: Target, world: World): Promise<string> {
  const { bench, choice } = prepared(world);
  const { store: known } = prepared(world).bench;
  const ended = await handlers[id](answered(bench, choice), target).then(
    () => [],
    (error: unknown) => [`failed: ${describeError(error)}`],
  );
  const { started, submitted, debugged, questions, compared, created } = bench;
  const made = Object.entries({ started, submitted, debugged, questions, compared, created }).flatMap(([kind, all]) =>
    all.map((each) => `${kind} ${told(each)}`),
  );
  const forgotten = [
    ...['5', '6'].flatMap((jobId) => (known.job(jobId) && !bench.store.job(jobId) ? [`forgets job ${jobId}`] : [])),
    ...['11', '12', '13', '14'].flatMap((runId) =>
      known.run(runId) && !bench.store.run(runId) ? [`forgets run ${runId}`] : [],
    ),
  ];
  return [...bench.trail, ...made, ...forgotten, ...ended].map((line) => `  ${line}\n`).join('');
}
