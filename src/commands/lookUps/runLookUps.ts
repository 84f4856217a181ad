import type { Run, RunOutput } from '../../api/schema/jobs/schemas.ts';
import type { AnswerLink } from '../../chat/conversationEvent.ts';
import type { Connection } from '../../connection/connection.ts';
import { runDurationInMs, runStatus, stateMessage } from '../../runs/runState.ts';
import { formatTime } from '../../runs/timeTexts.ts';
import { l10n } from '../../shared/l10n.ts';
import { formatDuration } from '../../shared/text.ts';
import { outputOf } from '../askChat.ts';
import { findJob, runJob } from '../chatTools/jobTools.ts';
import { findRuns, isBad, linkOf } from '../chatTools/runTools.ts';
import { cancelRun } from '../runCommands.ts';
import { explainFailure } from './explainFailure.ts';
import { findRun } from './findRun.ts';
import { commandText, type FoundAnswer, inCode, type LookUp, type LookUpContext } from './lookUp.ts';

const maxListed = 10;
const days = ['today', 'yesterday', 'week'] as const;

interface Call extends LookUpContext {
  readonly connection: Connection;
}

/** Connects to the service of the current profile first. */
function connected(answer: (given: string, call: Call) => Promise<FoundAnswer>): LookUp {
  return async (given, context) => {
    const connection = await context.services.connections.connect({ signal: context.signal });
    return answer(given, { ...context, connection });
  };
}

/** Lists runs that failed: of the last seven days, of a day, or of a job. */
export const failed = connected(async (given, call) => {
  const { connection, nowMs } = call;
  const day = days.find((each) => each === given);
  const job = given === '' || day ? undefined : given;
  const found = await findRuns({ state: 'failed', since: day ?? (job ? 'any' : 'week'), job, limit: maxListed }, call);
  const { name } = connection.profile;
  const when = {
    today: l10n.t('today'),
    yesterday: l10n.t('yesterday'),
    week: l10n.t('in the last 7 days'),
  }[day ?? 'week'];
  const of = job === undefined ? when : l10n.t('among the runs of {0}', job);
  const lines = found.shown.map(({ run, name: title, cause = stateMessage(run) }) =>
    [`- **${title}**: ${facts(run, nowMs)}`, cause && `\n  ${inCode(cause)}`].join(''),
  );
  const markdown =
    found.count === 0
      ? l10n.t('{0} has no failed run {1}.', name, of)
      : [l10n.t('Failed runs on {0} {1}: {2}', name, of, found.count), lines.join('\n')].join('\n\n');
  const links = found.shown.flatMap(({ run, name: title }): AnswerLink[] => {
    const link = linkOf(run, title, connection.profile.id);
    return [{ title: link.label, run: link }];
  });
  const [first] = found.shown;
  if (first) links.push({ title: commandText({ name: 'why', given: first.name }), command: `/why ${first.name}` });
  const rest = found.isWhole ? '' : `\n\n${l10n.t('Older runs were not searched.')}`;
  return { markdown: markdown + rest, links };
});

/** Explains a run that failed, by default the last one. */
export const why = connected(async (given, call) => {
  const { connection, signal, nowMs } = call;
  // A job without a failure is answered with its last run.
  const isMeant = given === '' ? isBad : (run: Run): boolean => isBad(run) || !runStatus(run).active;
  const none = l10n.t('No run of {0} has failed.', connection.profile.name);
  const { run, name, link } = await findRun(given, call, isMeant, none);
  const output = await outputOf(connection, run, signal);
  const current = output.metadata ?? run;
  const fix = { title: commandText({ name: 'fix', given: name }), command: `/fix ${name}` };
  return {
    about: name,
    markdown: `**${name}**: ${facts(current, nowMs)}\n\n${reasonOf(current, output)}`,
    links: isBad(current) ? [link, fix] : [link],
  };
});

/** Returns why a run ended as it did, as far as the service says so. */
function reasonOf(run: Run, output: RunOutput): string {
  const { phase, active } = runStatus(run);
  const message = stateMessage(run);
  if (active) return l10n.t('It has not ended.');
  const logs = typeof output['logs'] === 'string' ? output['logs'] : '';
  const trace = typeof output['error_trace'] === 'string' ? output['error_trace'] : '';
  switch (phase) {
    case 'succeeded':
      return l10n.t('It did not fail.');
    case 'timedOut':
      return l10n.t('It ran longer than the `timeout_seconds` of its job allows.');
    case 'failed': {
      const text = [logs, output.error ?? '', trace].filter((part) => part !== '').join('\n');
      return explainFailure(text, firstLine(output.error)) ?? quoted(message);
    }
    default:
      return quoted(message || output.error || l10n.t('The service gives no reason.'));
  }
}

function firstLine(text: string | undefined): string | undefined {
  return text?.trim().split('\n')[0] || undefined;
}

function quoted(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

function facts(run: Run, nowMs: number): string {
  const duration = runDurationInMs(run, nowMs);
  return [
    runStatus(run).label,
    run.start_time ? formatTime(run.start_time, nowMs) : '',
    duration === undefined ? '' : formatDuration(duration),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** Starts a run of a job. */
export const run = connected(async (given, call) => {
  const { connection, signal } = call;
  if (given === '') {
    const jobs = await connection.client.jobs.list({ signal });
    const names = jobs.flatMap(({ settings }) => settings?.name ?? []).slice(0, maxListed);
    return {
      markdown: names.length === 0 ? l10n.t('{0} has no jobs.', connection.profile.name) : l10n.t('Run which job?'),
      links: names.map((name) => ({ title: `/run ${name}`, command: `/run ${name}` })),
    };
  }
  const job = await findJob(connection, given, signal);
  const { runs = [] } = await runJob({ job: job.job_id }, call);
  const [started] = runs;
  return started
    ? {
        markdown: l10n.t('Started **{0}** on {1}.', started.label, connection.profile.name),
        links: [{ title: started.label, run: started }],
      }
    : { markdown: l10n.t('Nothing was started.') };
});

/** Cancels an active run, by default the newest one. */
export const cancel = connected(async (given, call) => {
  const { connection, services, signal, nowMs } = call;
  const isActive = (candidate: Run): boolean => runStatus(candidate).active;
  const none = l10n.t('{0} has no such active run.', connection.profile.name);
  const found = await findRun(given, call, isActive, none);
  const { name, link } = found;
  if (!isActive(found.run))
    return { markdown: l10n.t('**{0}** is not active: {1}.', name, facts(found.run, nowMs)), links: [link] };
  await cancelRun(services, { profileId: connection.profile.id, runId: found.run.run_id });
  const current = await connection.client.jobs.getRun(found.run.run_id, { signal });
  return { markdown: `**${name}**: ${facts(current, nowMs)}`, links: [link] };
});
