import type { Client } from '../../api/client/client.ts';
import type { Run, RunOutput, SubmitRequest } from '../../api/schema/jobs/schemas.ts';
import { type Connection, localProfile } from '../../connection/connection.ts';
import { sourceOfExport } from '../../runs/exportedNotebook.ts';
import { readTrace } from '../../runs/output/failingPlace.ts';
import { runDurationInMs, runStatus } from '../../runs/runState.ts';
import { readRunOutput } from '../../runs/runTasks.ts';
import { delay } from '../../shared/clock.ts';
import { AppError, describeError, isAbort } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import { formatDuration, shortened } from '../../shared/text.ts';
import { connectFor } from '../connectFor.ts';
import { offer } from '../offer.ts';
import { resolveRun, resolveTask, runName } from '../resolve.ts';
import type { CommandServices } from '../services.ts';
import type { Target } from '../target.ts';
import { isMeant, likelyPlaces, placeOf } from './place.ts';
import { parametersOfTask, planReplay, replayedRun, runOfTask, type ReplayedRun } from './plan.ts';

/** The code of a copy: a workspace file. */
interface Code {
  readonly path: string;
  readonly text: string;
  /** As text: where it comes from. */
  readonly origin: string;
}

/**
 * Runs a copy of a run on the local service, with the debugger if wanted, and compares both afterwards. The original service is only read.
 * The user is told what the copy lacks before it starts.
 */
export async function replayRun(services: CommandServices, target: Target): Promise<void> {
  const { ui } = services;
  const connection = await connectFor(services, target);
  const { profile, client } = connection;
  const seen = await resolveRun(services, connection, target, l10n.t('Replay run here'), () => true);
  if (!seen) return;
  const ofRun = runName(services, connection, seen);
  // The lists may omit parts of a run.
  const whole = await ui.progress(l10n.t('Loading {0}', ofRun), (signal) =>
    client.jobs.getRun(seen.run_id, { signal }),
  );
  // Of a run with several tasks, one is replayed.
  const task = await resolveTask(services, connection, whole, target);
  const run = task ? runOfTask(whole, task) : whole;
  const name = task ? `${ofRun} ${task.task_key}` : ofRun;
  const replayed = replayedRun(run, name);
  const code = replayed.codePath === undefined ? undefined : await codeOf(services, connection, run, name, replayed);
  if (replayed.codePath !== undefined && !code) return;
  const { request, missing } = planReplay(replayed, code);
  const [plainly, debugged] = [l10n.t('Replay'), l10n.t('Replay with Debugger')];
  const canDebug = request.notebook_task || request.spark_python_task;
  const answer = await ui.decide(
    l10n.t('Replay {0} of {1} on this machine?', name, profile.name),
    detailOf(connection, request, code, missing),
    canDebug ? [plainly, debugged] : [plainly],
  );
  if (answer === undefined) return;
  if (answer === debugged && !(await services.mayInstallDebugger())) return;
  const local = await services.connections.connectTo(localProfile.id, { byUser: true });
  if (!local) throw new AppError('unavailable', l10n.t('The local service is not available, so nothing was started.'));
  const copyName = l10n.t('{0} (replay)', name);
  const copy = { ...request, run_name: copyName };
  const runId = await ui.progress(l10n.t('Starting {0}', copyName), async (signal) =>
    answer === debugged
      ? local.client.localService.debugSubmit(copy, { signal })
      : (await local.client.jobs.submit(copy, { signal })).run_id,
  );
  // This also reports the end of the copy.
  void compareAfterwards(
    services,
    { connection, run, name, replayed },
    { local, runId, name: copyName, request, code },
  );
  if (answer === debugged)
    await services.debug({
      name: l10n.t('Debug {0}', copyName),
      runId,
      submit: copy,
      haltAtFailure: runStatus(run).phase === 'failed',
    });
  if (services.connections.current.id === localProfile.id) await services.refresh();
}

function detailOf(
  { profile }: Connection,
  request: SubmitRequest,
  code: Code | undefined,
  missing: readonly string[],
): string {
  const lines = [
    ...(code ? [l10n.t('Code: {0}', code.origin)] : []),
    l10n.t('Parameters: {0}', JSON.stringify(parametersOfTask(request) ?? null)),
    // If the run is local, the copy starts on the same service.
    ...(profile.kind === 'local' ? [] : [l10n.t('"{0}" is read-only here.', profile.name)]),
  ];
  if (missing.length > 0)
    lines.push('', l10n.t('Missing here, so the copy runs without:'), ...missing.map((each) => `• ${each}`));
  return lines.join('\n');
}

/** Returns the workspace file with the run's code: known from an earlier replay, or chosen by the user once and stored. */
async function codeOf(
  services: CommandServices,
  connection: Connection,
  run: Run,
  name: string,
  { codePath = '', isNotebook }: ReplayedRun,
): Promise<Code | undefined> {
  const { ui, replayPlaces } = services;
  const { profile } = connection;
  const files = (await ui.programFiles()).filter((file) => isNotebook || file.endsWith('.py'));
  const known = placeOf(codePath, files, replayPlaces.of(profile.id)) ?? files.find((file) => isMeant(codePath, file));
  const path = known ?? (await askForPlace());
  if (path === undefined) return undefined;
  if (path === '') return codeOfExport(services, connection, run, name, codePath);
  if (known === undefined) await replayPlaces.set(profile.id, codePath, path);
  return {
    path,
    text: await ui.readProgram(path),
    origin: path === codePath ? path : l10n.t('{0} of this workspace, for {1}', path, codePath),
  };

  async function askForPlace(): Promise<string | undefined> {
    const items = likelyPlaces(codePath, files).map((file) => ({ label: file, value: file }));
    const ofExport = { label: l10n.t("The run's own code, from its export"), value: '' };
    if (items.length === 0 && !isNotebook)
      throw new AppError(
        'notFound',
        l10n.t('The workspace has no Python file that could be {0}. Nothing was started.', codePath),
        {
          remedy: l10n.t('Open the folder with the code, then replay again.'),
        },
      );
    return ui.pick(
      l10n.t('Replay {0}', name),
      l10n.t('Which file in this workspace is {0}? The answer is remembered.', codePath),
      [...items.slice(0, 1), ...(isNotebook ? [ofExport] : []), ...items.slice(1)],
    );
  }
}

/** Writes the notebook to the workspace as it was run (runs/export). */
async function codeOfExport(
  { ui }: CommandServices,
  { client }: Connection,
  run: Run,
  name: string,
  codePath: string,
): Promise<Code> {
  const items = await ui.progress(l10n.t('Exporting {0}', name), (signal) =>
    client.jobs.exportRun({ run_id: run.run_id, views_to_export: 'CODE' }, { signal }),
  );
  const text = items.map((item) => sourceOfExport(item.content ?? '')).find((source) => source !== undefined);
  if (text === undefined)
    throw new AppError('protocol', l10n.t('The export of {0} does not contain its code. Nothing was started.', name), {
      remedy: l10n.t('Replay again and choose a file in the workspace.'),
    });
  const stem = codePath.split('/').at(-1) ?? 'notebook';
  const path = await ui.createFile(`${stem}-${run.run_id}.py`, text);
  if (path === undefined)
    throw new AppError('unavailable', l10n.t('No folder is open for the code, so nothing was started.'));
  return { path, text, origin: l10n.t('{0}, written from the export of the run', path) };
}

interface Original {
  readonly connection: Connection;
  readonly run: Run;
  readonly name: string;
  readonly replayed: ReplayedRun;
}

interface Copy {
  readonly local: Connection;
  readonly runId: string;
  readonly name: string;
  readonly request: SubmitRequest;
  readonly code: Code | undefined;
}

/** Waits for the copy's end, reports both results, and offers to compare them. */
async function compareAfterwards(services: CommandServices, original: Original, copy: Copy): Promise<void> {
  const { ui } = services;
  try {
    const run = await untilEnded(copy.local.client, copy.runId);
    const { client } = original.connection;
    const before: ComparedRun = {
      title: l10n.t('{0} on {1}', original.name, original.connection.profile.name),
      run: await client.jobs.getRun(original.run.run_id),
      parameters: parametersOfTask(original.replayed.request),
      code: original.replayed.codePath ?? '–',
      // A service may not store the output, or may have deleted it.
      output: await readRunOutput(client.jobs, original.run.run_id).catch(() => undefined),
    };
    const after: ComparedRun = {
      title: l10n.t('{0} on this machine', copy.name),
      run,
      parameters: parametersOfTask(copy.request),
      code: copy.code?.path ?? '–',
      output: await copy.local.client.jobs.getRunOutput(copy.runId).catch(() => undefined),
    };
    const { left, right, difference } = compareWithCopy(before, after, Date.now());
    const states = [before, after].map((each) => runStatus(each.run).label);
    offer(
      ui,
      l10n.t('{0}: {1} there, {2} here. {3}', original.name, states[0] ?? '', states[1] ?? '', difference),
      l10n.t('Show Side by Side'),
      () => ui.compareTexts(left, right, l10n.t('{0} ↔ replay', original.name)),
      ...(['failed', 'timedOut', 'internalError'].includes(runStatus(run).phase)
        ? [[l10n.t('Fix…'), () => services.fix({ profileId: localProfile.id, runId: copy.runId })] as const]
        : []),
    );
  } catch (error) {
    if (!isAbort(error)) await ui.warn(describeError(error));
  }
}

/** One of two runs shown side by side. */
export interface ComparedRun {
  readonly title: string;
  readonly run: Run;
  readonly parameters: unknown;
  /** Where its code was located. */
  readonly code: string;
  /** `undefined` if the service returns none. */
  readonly output: RunOutput | undefined;
}

interface Comparison {
  readonly left: string;
  readonly right: string;
  /** As text: whether the failure is the same, or the first line in which the outputs differ. */
  readonly difference: string;
}

/** Returns a run and its copy as two texts with aligned lines. Parts of an output that only one service returns are not differences. */
export function compareWithCopy(original: ComparedRun, copy: ComparedRun, nowMs: number): Comparison {
  const outputs = [outputOf(original), outputOf(copy)] as const;
  const shared = (['logs', 'result', 'error'] as const).filter((part) => outputs.every((each) => part in each));
  const [left, right] = outputs.map((each) =>
    shared
      .map((part) => each[part] ?? '')
      .join('\n')
      .split('\n'),
  );
  return {
    left: textOf(original, outputs[0], nowMs),
    right: textOf(copy, outputs[1], nowMs),
    difference: reproduced(original, copy) ?? differenceOf(withoutFolders(left ?? []), withoutFolders(right ?? [])),
  };
}

/** Returns the words for two runs that failed with the same error, or `undefined`. */
function reproduced(original: ComparedRun, copy: ComparedRun): string | undefined {
  const [before, after] = [failureOf(original), failureOf(copy)];
  if (before?.error === undefined || before.error !== after?.error) return undefined;
  if (before.place === undefined || before.place !== after.place) return undefined;
  return l10n.t('Reproduced: the same error at the same line.');
}

/** Returns the error of a failed run, and the file and line that raised it. */
function failureOf({ run, output }: ComparedRun): { error: string | undefined; place: string | undefined } | undefined {
  if (!output || runStatus(run).phase !== 'failed') return undefined;
  const texts = [output['error_trace'], output['logs']].filter((text) => typeof text === 'string');
  const [line = '', ...lines] = withoutFolders([
    output.error?.split('\n', 1)[0] ?? '',
    ...texts.join('\n').split('\n'),
  ]);
  const trace = readTrace(lines.join('\n'), line);
  const [step] = trace?.steps ?? [];
  // What the program only printed, it handled.
  if (line !== '' && trace?.error !== line) return { error: line, place: undefined };
  return { error: trace?.error, place: step && `${step.file}:${step.line}` };
}

/** Replaces the folders of the files in tracebacks: the same file is in other folders on the service and here. */
function withoutFolders(lines: readonly string[]): string[] {
  const found = lines.flatMap((line) => /^\s*File "(.*[\\/])[^\\/"]+", line \d/.exec(line)?.[1] ?? []);
  const folders = [...new Set(found)].toSorted((left, right) => right.length - left.length);
  return lines.map((line) => folders.reduce((text, folder) => text.replaceAll(folder, '…/'), line));
}

type Parts = Partial<Record<'logs' | 'result' | 'error', string>>;

function outputOf({ output }: ComparedRun): Parts {
  if (!output) return {};
  const logs = output['logs'];
  return {
    ...(typeof logs === 'string' ? { logs: logs.trimEnd() } : {}),
    result: output.notebook_output?.result ?? '',
    error: output.error ?? '',
  };
}

function differenceOf(left: readonly string[], right: readonly string[]): string {
  const count = Math.max(left.length, right.length);
  for (let index = 0; index < count; index += 1)
    if (left[index] !== right[index])
      return l10n.t(
        'The outputs first differ in line {0}: {1} ↔ {2}',
        index + 1,
        shown(left[index]),
        shown(right[index]),
      );
  return l10n.t('The outputs are the same.');
}

const shown = (line: string | undefined): string =>
  line === undefined ? l10n.t('(nothing)') : `“${shortened(line, 80)}”`;

function textOf({ title, run, parameters, code }: ComparedRun, { logs, result, error }: Parts, nowMs: number): string {
  const duration = runDurationInMs(run, nowMs);
  const lines = [
    title,
    '',
    l10n.t('State: {0}', runStatus(run).label),
    l10n.t('Duration: {0}', duration === undefined ? '–' : formatDuration(duration)),
    l10n.t('Parameters: {0}', JSON.stringify(parameters ?? null)),
    l10n.t('Code: {0}', code),
    '',
    l10n.t('Error: {0}', error || '–'),
    l10n.t('Result: {0}', result || '–'),
    '',
    l10n.t('Output:'),
    logs ?? l10n.t('(not reported by the service)'),
  ];
  return `${lines.join('\n')}\n`;
}

const lookEveryInMs = 1000;

/**
 * Waits for the end of a run.
 * @throws the signal's abort reason; the run continues then
 */
export async function untilEnded({ jobs }: Client, runId: string, signal?: AbortSignal): Promise<Run> {
  for (;;) {
    const run = await jobs.getRun(runId, { signal });
    if (!runStatus(run).active) return run;
    await delay(lookEveryInMs, { signal });
  }
}
