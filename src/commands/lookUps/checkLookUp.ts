import type { LookUpAnswer } from '../../chat/chatTools.ts';
import type { AnswerLink } from '../../chat/conversationEvent.ts';
import { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import { loadJobFileService } from '../loadJobFileService.ts';
import type { LookUp } from './lookUp.ts';

const maxProblems = 20;
const maxFiles = 5;

/** Checks a job file: the named one, an attached one, or the one in the active editor. */
export const check: LookUp = async (given, { services: { ui }, attachments }) => {
  const attached = attachments.find(({ text }) => looksLikeJobFile(text));
  if (given === '' && attached) return checkText(attached.text, attached.label);
  const active = given === '' ? await ui.file() : undefined;
  if (active?.isJobFile) return checkText(active.text, active.name);
  const files = await ui.jobFiles();
  const named = files.filter(({ name, uri }) => given !== '' && (name === given || uri.endsWith(`/${given}`)));
  const [only] = given === '' ? files : named;
  if (only && (given === '' ? files : named).length === 1) {
    const file = await ui.file(only.uri);
    if (file) return checkText(file.text, file.name);
  }
  if (given !== '' && named.length === 0)
    throw new AppError('notFound', l10n.t('The workspace has no job file "{0}".', given));
  const links = files.slice(0, maxFiles).map(({ name }): AnswerLink => ({ title: name, command: `/check ${name}` }));
  const markdown = links.length === 0 ? l10n.t('The workspace has no job file.') : l10n.t('Check which file?');
  return { markdown, links };
};

/** Checks the text of a job file by the rules that the editor applies. */
export async function checkText(text: string, name: string): Promise<LookUpAnswer> {
  const { read, validate } = await loadJobFileService();
  const problems = validate(read(text));
  if (problems.length === 0) return { markdown: l10n.t('**{0}**: no problems.', name) };
  const lines = problems.slice(0, maxProblems).map(({ start, message }) => {
    const line = text.slice(0, start).split('\n').length;
    return `- ${l10n.t('Line {0}: {1}', line, message)}`;
  });
  const rest = problems.length - lines.length;
  if (rest > 0) lines.push(`- ${l10n.t('and {0} more', rest)}`);
  return { markdown: [l10n.t('**{0}**: problems found: {1}', name, problems.length), lines.join('\n')].join('\n\n') };
}

/** Returns whether a line of the text is a field that only job files have at the top. */
export function looksLikeJobFile(text: string): boolean {
  return /^["']?(?:(?:spark_python|spark_jar|spark_submit|notebook|pipeline|run_job)_task|existing_cluster_id|new_cluster)["']?\s*:/m.test(
    text,
  );
}
