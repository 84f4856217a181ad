import assert from 'node:assert/strict';
import type { Client } from '../../../src/api/client/client.ts';
import type {
  Job,
  JobSettings,
  Run,
  ExportRequest,
  RepairRequest,
  RunNowRequest,
  RunOutput,
  SubmitRequest,
  UpdateRequest,
} from '../../../src/api/schema/jobs/schemas.ts';
import type { CommandServices, DebugLaunch, DeployPreview } from '../../../src/commands/services.ts';
import { SingleFlight } from '../../../src/commands/singleFlight.ts';
import type { ChatAttachment, Ui } from '../../../src/commands/ui.ts';
import { localProfile, type Connection, type Profile } from '../../../src/connection/connection.ts';
import type { LastDeploy } from '../../../src/jobfile/services/deployPlan.ts';
import { RunStore } from '../../../src/runs/store/runStore.ts';
import { plainArrangement } from '../../../src/runs/tree/arrangement.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { Emitter } from '../../../src/shared/event.ts';

export const goodFile = `name: nightly
spark_python_task:
  python_file: /main.py
  parameters: [--day, today]
existing_cluster_id: local
`;

/** Another workspace with other jobs and runs under the same ids. */
export const staging: Profile = {
  ...localProfile,
  id: 'staging',
  name: 'Staging',
  kind: 'remote',
  baseUrl: 'https://staging.example',
};

/** A scripted environment for commands. `trail` records all effects in order, prefixed with the profile unless it is the local one. */
export class Bench {
  trail: string[] = [];
  texts = new Map<string, string>([['file:///w/nightly.job.yml', goodFile]]);
  remote = new Map<string, JobSettings>();
  runs: Run[] = [];
  picks: (string | RegExp)[] = [];
  /** The labels that were preselected in the last question with several choices. */
  picked: string[] = [];
  inputs: string[] = [];
  /** Chooses a button of a message. */
  answer: ((action: string | undefined) => Promise<string | undefined>) | undefined;
  /** Runs while a question waits for its answer. */
  meanwhile: (() => void) | undefined;
  /** Whether the user declines every confirmation. */
  declined = false;
  pythonFiles: { path: string; isActive: boolean }[] = [];
  hasFolder = true;
  saveFails = false;
  /** Whether the user declines only the profile's own confirmations. */
  mutationDeclined = false;
  giveUpInput = false;
  activeIsJobFile = true;
  profile: Profile = localProfile;
  remembered = new Map<string, string>();
  /** The last deploys from here, by job. A remembered job without an entry was deployed by an older version. */
  deployed = new Map<string, LastDeploy>();
  preview: DeployPreview = 'whenOthersChanged';
  /** Answers to questions with several actions, in order. A missing answer cancels. */
  decisions: string[] = [];
  /** The details of these questions. */
  asked: string[] = [];
  /** The details of each confirmation by the profile. */
  details: (string | undefined)[] = [];
  store = new RunStore();
  /** The error that canceling throws. */
  refusal: AppError | undefined;
  output: RunOutput | undefined = { logs: 'written' };
  /** The error of reading the output, unless it is a refusal. */
  outputFailure: AppError | undefined;
  questions: { prompt: string; attachments: readonly ChatAttachment[] }[] = [];
  started: RunNowRequest[] = [];
  debugged: DebugLaunch[] = [];
  submitted: SubmitRequest[] = [];
  repaired: RepairRequest[] = [];
  /** Newest version of the API that the service has. */
  version = '2.2';
  /** The program files of the workspace, by path. */
  programs = new Map<string, string>();
  places: Record<string, string> = {};
  compared: { left: string; right: string; title: string }[] = [];
  /** The runs of the local service while another profile is current. */
  localRuns: Run[] = [];
  exported = '<h1>n</h1>';
  /** The runs that were exported. */
  exportedIds: string[] = [];
  /** The contents of new files. */
  created: string[] = [];
  #nextId = 9007199254740993n;

  inference: unknown;
  localService: object = {};
  /** The stored API keys of model servers, by address. */
  modelKeys: Record<string, string> = {};
  /** Files with unsaved changes. */
  dirty = new Set<string>();
  isTrusted = true;

  /** The signals of operations that the user can cancel. */
  readonly #stoppable = new Set<AbortSignal>();
  readonly services: CommandServices;

  constructor() {
    const clientOf = (tell: (line: string) => void): Client =>
      ({
        baseUrl: 'https://jobs.example',
        inference: this.inference,
        jobs: {
          create: async (settings: JobSettings) => {
            const id = String(this.#nextId++);
            this.remote.set(id, settings);
            tell(`create ${id}`);
            return { job_id: id };
          },
          reset: async (id: string, settings: JobSettings) => {
            this.remote.set(id, settings);
            tell(`reset ${id}`);
          },
          list: async (): Promise<Job[]> => [...this.remote].map(([id, settings]) => ({ job_id: id, settings })),
          get: async (id: string): Promise<Job> => {
            const settings = this.remote.get(id);
            if (!settings)
              throw new AppError('notFound', `Job ${id} does not exist.`, { errorCode: 'RESOURCE_DOES_NOT_EXIST' });
            return { job_id: id, settings };
          },
          delete: async (id: string) => {
            this.remote.delete(id);
            tell(`delete ${id}`);
          },
          runNow: async (request: RunNowRequest) => {
            this.started.push(request);
            tell(`run-now ${request.job_id}`);
            return { run_id: '77', number_in_job: '1' };
          },
          submit: async (request: SubmitRequest) => {
            this.submitted.push(request);
            tell('submit');
            return { run_id: '78' };
          },
          update: async ({ job_id: id, new_settings: settings }: UpdateRequest) => {
            this.remote.set(id, { ...this.remote.get(id), ...settings } as JobSettings);
            tell(`update ${id} ${JSON.stringify(settings)}`);
          },
          listRuns: async () => ({ runs: this.runs, has_more: false }),
          getRun: async (id: string) => [...this.runs, ...this.localRuns].find((run) => run.run_id === id),
          getRunOutput: async (id: string): Promise<RunOutput> => {
            if (this.outputFailure) throw this.outputFailure;
            if (!this.output) throw new AppError('rejected', 'No output is kept.');
            return { metadata: this.runs.find((run) => run.run_id === id), ...this.output };
          },
          cancelRun: async (id: string) => this.#cancelled(() => tell(`cancel ${id}`)),
          cancelAllRuns: async (id: string) => this.#cancelled(() => tell(`cancel all ${id}`)),
          version: async () => this.version,
          repairRun: async (request: RepairRequest) => {
            this.repaired.push(request);
            tell(`repair ${request.run_id}`);
            return '9';
          },
          deleteRun: async (id: string) => tell(`delete run ${id}`),
          exportRun: async ({ run_id: id }: ExportRequest) => {
            this.exportedIds.push(id);
            return [{ name: '../../evil', type: 'NOTEBOOK', content: this.exported }];
          },
        },
        localService: {
          debugSubmit: async (request: SubmitRequest) => {
            this.submitted.push(request);
            tell('debug-submit');
            return '78';
          },
          ...this.localService,
        },
      }) as unknown as Client;
    const connection = (profile = this.profile): Connection => {
      return {
        profile,
        client: this.#stopping(
          clientOf((line) => this.trail.push(profile === localProfile ? line : `${profile.id}: ${line}`)),
        ),
      };
    };
    const isTrusted = (): boolean => this.isTrusted;
    const ui: Ui = {
      pick: async (_title, _placeholder, items) => {
        this.meanwhile?.();
        const wanted = this.picks.shift();
        assert.ok(wanted !== undefined, `unexpected question among ${items.map((item) => item.label).join(' | ')}`);
        const found = items.find((item) =>
          typeof wanted === 'string' ? item.label === wanted : wanted.test(item.label),
        );
        assert.ok(found, `${String(wanted)} is not among ${items.map((item) => item.label).join(' | ')}`);
        return found.value;
      },
      pickMany: async (_title, _placeholder, items) => {
        const wanted = this.picks.splice(0);
        if (this.giveUpInput) return undefined;
        const found = items.filter((item) => !item.separator && wanted.includes(item.label));
        assert.equal(found.length, wanted.length, items.map((item) => item.label).join(' | '));
        this.picked = items.filter((item) => item.picked).map((item) => item.label);
        return found.map((item) => item.value);
      },
      input: async (options) => {
        if (this.giveUpInput) return undefined;
        const value = this.inputs.shift();
        assert.ok(value !== undefined, `unexpected input: ${options.prompt}`);
        const problem = options.validate?.(value);
        if (problem) this.trail.push(`refused: ${problem}`);
        return problem ? this.inputs.shift() : value;
      },
      info: async (message, action) => {
        this.trail.push(`info: ${message}`);
        return this.answer?.(action);
      },
      warn: async (message, action) => {
        this.trail.push(`warn: ${message}`);
        return action;
      },
      confirm: async (message) => {
        this.meanwhile?.();
        this.trail.push(`confirm: ${message}`);
        return !this.declined;
      },
      decide: async (message, detail, actions) => {
        this.meanwhile?.();
        this.trail.push(`decide: ${message}`);
        this.asked.push(detail);
        const decision = this.decisions.shift();
        return actions.find((action) => action === decision);
      },
      progress: async (_title, task) => {
        const { signal } = new AbortController();
        this.#stoppable.add(signal);
        try {
          return await task(signal);
        } finally {
          this.#stoppable.delete(signal);
        }
      },
      file: async (uri) => {
        const text = this.texts.get(uri ?? 'file:///w/nightly.job.yml');
        return text === undefined
          ? undefined
          : { uri: uri ?? 'file:///w/nightly.job.yml', name: 'nightly.job.yml', text, isJobFile: this.activeIsJobFile };
      },
      jobFiles: async () => [...this.texts.keys()].map((uri) => ({ uri, name: uri })),
      workspaceFiles: async () => [...this.texts.keys()].map((uri) => uri.replace('file:///w/', '')),
      workspaceText: async (name) => {
        const text = this.texts.get(name);
        if (text === undefined) throw new AppError('notFound', `There is no file ${name} in the workspace.`);
        return text;
      },
      activeFile: () => ui.workspaceFile('nightly.job.yml'),
      workspaceFile: async (path) => {
        const uri = `file:///w/${path}`;
        const text = this.texts.get(uri);
        if (text === undefined) throw new AppError('notFound', `There is no file ${path} in the workspace.`);
        return { uri, path, name: path, text, isJobFile: path.endsWith('.job.yml'), isDirty: this.dirty.has(uri) };
      },
      pathOf: (uri) => uri.replace('file:///w', ''),
      userName: () => 'mara',
      pythonFiles: async () => this.pythonFiles,
      programFiles: async () => [...this.programs.keys()],
      readProgram: async (file) => this.programs.get(file) ?? assert.fail(file),
      createFile: async (name, content) => {
        this.created.push(content);
        this.trail.push(`created ${name}`);
        return this.hasFolder ? `/${name}` : undefined;
      },
      createJobFile: async (name, content) => {
        if (!this.hasFolder) return undefined;
        const uri = `file:///w/${name}`;
        this.texts.set(uri, content);
        this.trail.push(`made ${name}`);
        return uri;
      },
      textOf: async (uri) => this.texts.get(uri),
      openFile: async (uri) => void this.trail.push(`shown ${uri}`),
      save: async (uri) => (this.trail.push(`saved ${uri}`), !this.saveFails),
      previewText: async (_uri, text) => {
        this.trail.push(`preview: ${text}`);
        return async () => void this.trail.push('closed');
      },
      review: async (_uri, text, _title, message, actions) => {
        this.meanwhile?.();
        this.trail.push(`review: ${text}`);
        this.asked.push(message);
        const wanted = this.picks.shift();
        return actions.find((action) => action === wanted);
      },
      settleReview: async (uri, isWanted) => void this.trail.push(`settled ${uri} ${isWanted}`),
      showProblem: async (_uri, offset) => void this.trail.push(`problem at ${offset}`),
      openUntitled: async (_language, text) =>
        void this.trail.push(`opened: ${text.length > 5000 ? `${text.slice(0, 70)}…` : text}`),
      replaceText: async (uri, before, text) => {
        if (this.texts.get(uri) !== before) throw new AppError('rejected', `${uri} was not changed.`);
        this.texts.set(uri, text);
        this.trail.push('replaced text');
      },
      compare: async (_left, right) => void this.trail.push(`compare: ${right}`),
      compareTexts: async (left, right, title) => void this.compared.push({ left, right, title }),
      compareOutputs: async (profileId, runIds, title) =>
        void this.trail.push(`compare ${profileId} ${runIds.join(' ')}: ${title}`),
      openRun: async (profileId, runId, name) => void this.trail.push(`page ${profileId} ${runId}: ${name}`),
      openJob: async (profileId, jobId, name) => void this.trail.push(`job page ${profileId} ${jobId}: ${name}`),
      showRunOutput: async (profileId, runId, name) => void this.trail.push(`output ${profileId} ${runId}: ${name}`),
      chooseFolder: async () => '/exports',
      writeExport: async (folder, name) => {
        this.trail.push(`write ${folder}/${name}`);
        return `${folder}/${name}`;
      },
      previewHtml: async () => undefined,
      openExternal: async (url) => void this.trail.push(`browser ${url}`),
      copy: async (text) => void this.trail.push(`copy ${text}`),
      attachToChat: async (attachments) => void this.questions.push({ prompt: '', attachments }),
      askChat: async (prompt, attachments) => void this.questions.push({ prompt, attachments }),
      get workspaceTrusted() {
        return isTrusted();
      },
    };
    const currentProfile = (): Profile => this.profile;
    this.services = {
      connections: {
        get current() {
          return currentProfile();
        },
        profiles: [localProfile, staging],
        onDidChange: new Emitter<Profile>().event,
        isKnownEmpty: false,
        connect: async () => connection(),
        connectIfUsed: async () => connection(),
        connectTo: async (id) => connection([localProfile, staging].find((profile) => profile.id === id)),
        confirmMutation: async (what, _connection, { detail, others = [] }) => {
          this.meanwhile?.();
          this.details.push(detail);
          this.trail.push(`mutation: ${what}`);
          const other = this.profile.production && others.find((one) => this.decisions.includes(one));
          if (other) return other;
          // Other profiles ask for no confirmation of their own.
          return !this.mutationDeclined && !(this.profile.production && this.declined);
        },
      },
      runs: this.store,
      arrangement: {
        current: plainArrangement,
        change: async (change) => {
          Object.assign(this.services.arrangement, { current: { ...this.services.arrangement.current, ...change } });
        },
        pin: async (profileId, jobIds, isPinned) =>
          void this.trail.push(`${isPinned ? 'pin' : 'unpin'} ${profileId} ${jobIds.join(' ')}`),
      },
      refresh: async () => void this.trail.push('refresh'),
      reload: async () => void this.trail.push('reload'),
      watch: (profileId, runId, name) =>
        void this.trail.push(`watch ${profileId} ${runId}${name === undefined ? '' : `: ${name}`}`),
      cancelling: (profileId, runIds) => {
        if (runIds.length > 0) this.trail.push(`cancelling ${profileId} ${runIds.join(' ')}`);
        return () => void this.trail.push('not cancelled');
      },
      fix: async ({ uri, profileId, runId }) => void this.trail.push(`fix ${uri ?? `${profileId} ${runId}`}`),
      mayInstallDebugger: async () => true,
      debug: async (launch) => void this.debugged.push(launch),
      loadMoreRuns: async () => undefined,
      deployments: {
        jobIdOf: (profileId, uri) => this.remembered.get(`${profileId} ${uri}`),
        lastDeployOf: (profileId, uri, jobId) => this.deployed.get(`${profileId} ${uri} ${jobId}`),
        filesOf: (profileId, jobId) =>
          [...this.remembered]
            .filter(([name, id]) => name.startsWith(`${profileId} `) && id === jobId)
            .map(([name]) => name.slice(profileId.length + 1)),
        set: async (profileId, uri, jobId, deploy) => {
          this.remembered.set(`${profileId} ${uri}`, jobId);
          this.deployed.set(`${profileId} ${uri} ${jobId}`, deploy);
        },
      },
      replayPlaces: {
        of: () => this.places,
        set: async (profileId, servicePath, file) => {
          this.places = { ...this.places, [servicePath]: file };
          this.trail.push(`keep ${profileId} ${servicePath} ${file}`);
        },
      },
      deployPreview: () => this.preview,
      storeModelKey: async (baseUrl, key) => void (this.modelKeys[baseUrl] = key),
      singleFlight: new SingleFlight(),
      ui,
    };
  }

  /** Wraps a client and checks that every request during a cancelable operation receives its signal. */
  #stopping<T extends object>(parts: T): T {
    return new Proxy(parts, {
      get: (target, name, receiver) => {
        const part: unknown = Reflect.get(target, name, receiver);
        if (typeof part === 'object' && part !== null) return this.#stopping(part);
        if (typeof part !== 'function') return part;
        return (...given: unknown[]): unknown => {
          const options = given.find((each) => typeof each === 'object' && each !== null && 'signal' in each);
          const { signal } = (options ?? {}) as { signal?: AbortSignal };
          const isTold = this.#stoppable.size === 0 || (signal && this.#stoppable.has(signal));
          assert.ok(isTold, `${String(name)} goes on after the user has stopped it`);
          return (part as (...all: unknown[]) => unknown).apply(target, given);
        };
      },
    });
  }

  async #cancelled(tell: () => void): Promise<void> {
    tell();
    if (this.refusal) throw this.refusal;
  }
}
