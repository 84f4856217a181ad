import { jobSettings } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import type { CommandServices } from '../../../src/commands/services.ts';
import type { Target } from '../../../src/commands/target.ts';
import type { Ui } from '../../../src/commands/ui.ts';
import { AppError, describeError } from '../../../src/shared/errors.ts';
import { assertApproved } from '../../support/approved.ts';
import { Bench, goodFile, staging } from './commandSetup.ts';

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
  'no job file': { uri: 'file:///w/main.py' },
};

/** What the user takes of what is offered. */
type Choice = 'first' | 'last' | 'nothing';
type World = (bench: Bench) => Choice;
/** Each gives what the user chooses wherever something is asked. */
const worlds: Record<string, World> = {
  'the first of all': () => 'first',
  'the last of all': () => 'last',
  'nothing of all': () => 'nothing',
  'on production, refused': (bench) => {
    bench.profile = { ...staging, production: true };
    bench.refusal = new AppError('rejected', 'It may not be cancelled.');
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
  bench.runs = [
    ofJob('11', '5', 'TERMINATED', 'FAILED'),
    ofJob('12', '5', 'RUNNING'),
    { ...ofJob('13', '', 'TERMINATED', 'SUCCESS'), job_id: undefined, run_type: 'SUBMIT_RUN', run_name: 'once' },
    ofJob('14', '5', 'TERMINATED', 'SUCCESS'),
  ] as never;
  bench.texts.set('file:///w/main.py', 'print(1)\n');
  bench.texts.set('file:///w/broken.job.yml', `${goodFile}max_retry: 1\n`);
  bench.remembered.set(`local ${uri}`, '5');
  bench.programs.set('/main.py', 'print(1)\n');
  const choice = world(bench);
  bench.store.setJobs([...bench.remote].map(([id, each]) => ({ job_id: id, settings: each })) as never, startMs);
  bench.store.mergeRuns(bench.runs, startMs);
  return { bench, choice };
}

/** The bench with a user that always answers the same; everything that is said and asked is written down. */
function answered({ services, trail }: Bench, choice: Choice): CommandServices {
  const told = (value: unknown): string =>
    JSON.stringify(value, (_name, each: unknown) => (each instanceof Function ? undefined : each))?.slice(0, 300) ?? '';
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
  const ui = new Proxy(services.ui, {
    get(real, name: keyof Ui) {
      const value = real[name] as unknown;
      if (!(value instanceof Function)) return value;
      return async (...args: unknown[]) => {
        const answer = answers[name] as ((...given: unknown[]) => unknown) | undefined;
        if (answer || name === 'progress') trail.push(`ui ${name} ${told(args)}`);
        return answer ? answer(...args) : (value as (...given: unknown[]) => unknown)(...args);
      };
    },
  });
  const { connections } = services;
  const asks = async (what: string, { profile }: { profile: { name: string } }, detail?: string): Promise<boolean> => {
    trail.push(`mutation on ${profile.name}: ${what}${detail === undefined ? '' : `\n${detail}`}`);
    return saysYes;
  };
  return {
    ...services,
    ui,
    connections: new Proxy(connections, {
      get: (real, name: keyof typeof connections) => (name === 'confirmMutation' ? asks : real[name]),
    }),
  };
}

describe('what each command does, as it was approved', () => {
  const clock = Date.now;
  before(() => (Date.now = () => startMs + 3_600_000));
  after(() => (Date.now = clock));

  for (const [name, world] of Object.entries(worlds))
    it(name, async () => {
      const lines: string[] = [];
      for (const [id, handler] of Object.entries(handlers)) {
        const seen = new Map<string, string>();
        for (const [of, target] of Object.entries(targets)) {
          const { bench, choice } = prepared(world);
          const ended = await handler(answered(bench, choice), target).then(
            () => [],
            (error: unknown) => [`failed: ${describeError(error)}`],
          );
          const { started, submitted, debugged, questions, compared, created } = bench;
          const made = Object.entries({ started, submitted, debugged, questions, compared, created }).flatMap(
            ([kind, all]) => all.map((each) => `${kind} ${JSON.stringify(each).slice(0, 400)}`),
          );
          const all = [...bench.trail, ...made, ...ended].map((line) => `  ${line}\n`).join('');
          const same = seen.get(all);
          lines.push(same === undefined ? `${id} with ${of}\n${all}` : `${id} with ${of}: as with ${same}\n`);
          seen.set(all, same ?? of);
        }
      }
      const text = lines.join('').replaceAll(/"nowMs":\d+/g, '"nowMs":N');
      assertApproved(`commands-${name.replaceAll(/\W+/g, '-')}`, text);
    });
});
