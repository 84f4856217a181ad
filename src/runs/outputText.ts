import type { Run, RunOutput } from '../api/schema/jobs/schemas.ts';
import { l10n } from '../shared/l10n.ts';
import { formatDuration } from '../shared/text.ts';
import { withoutAnsi } from './output/ansi.ts';
import { isOneTime } from './runOrder.ts';
import { runDurationInMs, runStatus, stateMessage } from './runState.ts';
import { mainTask, type NamedTask, tasksOf } from './runTasks.ts';
import { formatTime } from './timeTexts.ts';

/**
 * What a run gave, as a text to read: its state, the notebook's result, what it wrote and why it failed.
 * Besides the document's fields it shows `logs`, `logs_truncated` and `error_trace`, which services add.
 * @param title `undefined` to leave out the head, which differs between any two runs
 * @param versions which Python and packages it has, if that is known
 * @param unread why its output could not be read
 */
export function outputText(
  title: string | undefined,
  output: RunOutput,
  run: Run,
  nowMs: number,
  versions = '',
  unread?: string,
): string {
  const head = title === undefined ? '' : heading(title, run, nowMs);
  const sections = head === '' ? [] : [versions === '' ? head : `${head}\n${versions}`];
  const tasks = tasksOf(run);
  if (tasks.length > 0 && head !== '') sections.push(section(l10n.t('Tasks'), taskLines(run, tasks, nowMs)));
  const result = output.notebook_output?.result;
  if (result !== undefined) {
    const label = output.notebook_output?.truncated ? l10n.t('Result (first 1 MB)') : l10n.t('Result');
    sections.push(section(label, result));
  } else if (output.notebook_output && runStatus(run).terminal) {
    sections.push(
      section(
        l10n.t('Result'),
        l10n.t('The notebook ended without calling dbutils.notebook.exit, so it has no result.'),
      ),
    );
  }
  const logs = textField(output, 'logs') ?? '';
  if (logs !== '')
    sections.push(section(output['logs_truncated'] === true ? l10n.t('Output (first 5 MB)') : l10n.t('Output'), logs));
  // Programs print their tracebacks themselves: each is shown once, and its last line is the error.
  const isTold = (text: string, ...elsewhere: readonly string[]): boolean =>
    text === '' || elsewhere.some((each) => each.includes(text.trim()));
  const { error = '' } = output;
  const trace = textField(output, 'error_trace') ?? '';
  if (!isTold(error, logs, trace)) sections.push(section(l10n.t('Error'), error));
  if (!isTold(trace, logs)) sections.push(section(l10n.t('Traceback'), trace));
  if (unread !== undefined) sections.push(unread.trimEnd());
  else if (sections.length === (head === '' ? 0 : 1))
    sections.push(
      runStatus(run).active ? l10n.t('No output yet. This text follows the run.') : l10n.t('The run printed nothing.'),
    );
  return `${sections.join('\n\n')}\n`;
}

/** Lists the tasks of a run, and says whose output follows. */
function taskLines(run: Run, tasks: readonly NamedTask[], nowMs: number): string {
  const main = mainTask(run);
  const lines = tasks.map((task) => {
    const duration = runDurationInMs(task, nowMs);
    const words = [runStatus(task).label, duration === undefined ? '' : formatDuration(duration)].filter(Boolean);
    return `${task.task_key}: ${words.join(' · ')}`;
  });
  if (main) lines.push('', l10n.t('What follows is of the task {0}.', main.task_key));
  return lines.join('\n');
}

function heading(title: string, run: Run, nowMs: number): string {
  const status = runStatus(run);
  const lines = [`${title} — ${status.label}`];
  const message = stateMessage(run);
  if (message !== '') lines.push(message);
  const facts = [l10n.t('run {0}', run.run_id)];
  if (run.job_id !== undefined && !isOneTime(run)) facts.push(l10n.t('job {0}', run.job_id));
  // With the date even for today: the text is kept and sent to models.
  if (run.start_time) facts.push(l10n.t('started {0}', formatTime(run.start_time, 0, '2-digit')));
  const duration = runDurationInMs(run, nowMs);
  if (duration !== undefined) facts.push(formatDuration(duration));
  lines.push(facts.join(' · '));
  const parts = [
    [l10n.t('queue'), run.queue_duration],
    [l10n.t('set-up'), run.setup_duration],
    [l10n.t('execution'), run.execution_duration],
    [l10n.t('clean-up'), run.cleanup_duration],
  ] as const;
  const measured = parts
    .filter(([, value]) => value !== undefined && value > 0)
    .map(([name, value]) => `${name} ${formatDuration(value ?? 0)}`);
  if (measured.length > 0) lines.push(measured.join(' · '));
  return lines.join('\n');
}

function section(label: string, text: string): string {
  // Text that overwrote part of a line gets a line of its own.
  const shown = withoutAnsi(text.replace(/\r\n?/g, '\n'));
  return `── ${label} ${'─'.repeat(Math.max(4, 70 - label.length))}\n${shown.trimEnd()}`;
}

function textField(output: RunOutput, name: string): string | undefined {
  const value = output[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
