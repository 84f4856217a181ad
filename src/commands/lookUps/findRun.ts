import type { Job, Run } from '../../api/schema/jobs/schemas.ts';
import type { AnswerLink } from '../../chat/conversationEvent.ts';
import type { Connection } from '../../connection/connection.ts';
import { groupAttempts } from '../../runs/attempts.ts';
import { runLabel } from '../../runs/rowWords.ts';
import { AppError } from '../../shared/errors.ts';
import { ifFound, withoutIsolation } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { findJob } from '../chatTools/jobTools.ts';
import { linkOf } from '../chatTools/runTools.ts';
import { pageSize } from '../chatTools/toolCall.ts';

export interface FoundRun {
  readonly run: Run;
  /** "etl #3" */
  readonly name: string;
  readonly link: AnswerLink;
}

/**
 * Finds the run that words name: an ID, a job and a number ("etl #3"), or a job alone. Without a number, it is the newest run that fits.
 * @param fits the runs that are meant if the words name none
 * @param none the message if no run fits
 * @throws AppError `notFound` if there is none
 */
export async function findRun(
  words: string,
  { connection, signal }: { connection: Connection; signal: AbortSignal },
  fits: (run: Run) => boolean,
  none: string,
): Promise<FoundRun> {
  const { jobs } = connection.client;
  const given = withoutIsolation(words).trim();
  const named = async (run: Run, job?: Job): Promise<FoundRun> => {
    const own = job ?? (run.job_id === undefined ? undefined : await ifFound(jobs.get(run.job_id, { signal })));
    const name = runLabel(run, own);
    const link = linkOf(run, name, connection.profile.id);
    return { run, name, link: { title: link.label, run: link } };
  };
  if (/^\d+$/.test(given)) return named(await jobs.getRun(given, { signal }));
  const number = /#(\d+)$/.exec(given)?.[1];
  const jobWords = number === undefined ? given : given.slice(0, -number.length - 1).trim();
  const job = jobWords === '' ? undefined : await findJob(connection, jobWords, signal);
  const { runs } = await jobs.listRuns({ limit: pageSize, ...(job && { job_id: job.job_id }) }, { signal });
  const found =
    number === undefined
      ? groupAttempts(runs)
          .map(([latest]) => latest)
          .find(fits)
      : runs.find((run) => job !== undefined && String(run.number_in_job) === number);
  if (found) return named(found, job);
  throw new AppError('notFound', number === undefined ? none : l10n.t('There is no run {0}.', given));
}
