import type { ChatMessage } from '../../api/schema/inference/schemas.ts';
import { splitThoughts } from '../../chat/conversationThoughts.ts';
import { namedFile } from '../../chat/namedFile.ts';
import { l10n } from '../../shared/l10n.ts';
import { beginningAndEnd } from '../askChat.ts';
import type { WorkspaceFile } from '../ui.ts';
import { applyDiff, readDiff } from './applyDiff.ts';
import { codePathOf, proposal, type FailedRun, type Proposal } from './failedRun.ts';
import { mergeCode } from './mergeCode.ts';

const instructions =
  'A job failed. Find the cause and mend it with the smallest change of one file. Answer with one sentence on the cause, then one fenced ' +
  'code block: a unified diff of that file (--- a/path, +++ b/path) as it is shown. Change no other file. ' +
  'If the cause is not in these files, answer with that sentence alone.';
const maxFiles = 6;
const maxListed = 200;
const maxAnswer = 200_000;

/**
 * Asks a model for a change that fixes the failure; it receives the error, the files of its trace and the job file.
 * @param ask sends the messages to the model and returns its answer
 * @returns the change of one workspace file, otherwise the model's answer in one line
 */
export async function askModel(
  ask: (messages: ChatMessage[]) => Promise<string>,
  failure: FailedRun,
): Promise<Proposal | string> {
  const shown = await filesOf(failure);
  const content = await ask([
    { role: 'system', content: instructions },
    { role: 'user', content: promptOf(failure, shown) },
  ]);
  const answer = splitThoughts(content.slice(0, maxAnswer)).text;
  return (await changeOf(answer, failure, shown)) ?? firstSentence(answer);
}

/** Returns the files of the trace, the code of the task and the job file. */
async function filesOf({ steps, jobFile, request, files, read }: FailedRun): Promise<WorkspaceFile[]> {
  const code = codePathOf(request)?.slice(1);
  const path = files.find((file) => file === code || file.replace(/\.py$/, '') === code);
  const all = [
    ...steps.map(({ file }) => file),
    ...(path === undefined ? [] : [await read(path)]),
    ...(jobFile ? [jobFile.file] : []),
  ];
  return [...new Map(all.map((file) => [file.path, file])).values()].slice(0, maxFiles);
}

function promptOf({ text, steps: [step], files, request }: FailedRun, shown: readonly WorkspaceFile[]): string {
  const parameters = request.spark_python_task?.parameters ?? request.notebook_task?.base_parameters;
  return [
    `Error:\n${beginningAndEnd(text)}`,
    ...(step ? [`It happened in ${step.file.path}, line ${step.line}.`] : []),
    `Parameters: ${JSON.stringify(parameters ?? null)}`,
    `Files: ${files.slice(0, maxListed).join(', ')}`,
    ...shown.map((file) => `${file.path}:\n\`\`\`\n${beginningAndEnd(file.text)}\n\`\`\``),
  ].join('\n\n');
}

/** Returns the content of the first code fence, or `undefined` if there is none or it is not closed. */
export function firstCode(answer: string): string | undefined {
  const lines = answer.split('\n');
  const from = lines.findIndex((line) => /^(?:`{3}|~{3})/.test(line));
  const fence = /^(?:`+|~+)/.exec(lines[from] ?? '')?.[0];
  if (fence === undefined) return undefined;
  const to = lines.findIndex((line, index) => index > from && line.startsWith(fence));
  return to === -1 ? undefined : lines.slice(from + 1, to).join('\n');
}

/** Returns the first code block of an answer as a change of an existing workspace file. */
async function changeOf(
  answer: string,
  failure: FailedRun,
  shown: readonly WorkspaceFile[],
): Promise<Proposal | undefined> {
  const code = firstCode(answer);
  if (code === undefined || code.trim() === '') return undefined;
  const [diff] = readDiff(code);
  const name = (diff?.path ?? namedFile([answer], code))?.replace(/^\//, '');
  const known =
    failure.files.find((path) => path === name) ??
    failure.files.find((path) => name !== undefined && path.endsWith(`/${name}`));
  const file =
    known === undefined
      ? name === undefined
        ? shown[0]
        : undefined
      : (shown.find(({ path }) => path === known) ?? (await failure.read(known)));
  if (!file) return undefined;
  const text = diff ? applyDiff(file.text, diff) : mergeCode(file.name, file.text, code)?.text;
  return proposal(file, text, firstSentence(answer));
}

function firstSentence(answer: string): string {
  const line = answer.split('\n').find((each) => each.trim() !== '' && !/^[`~]{3}/.test(each)) ?? '';
  return line.trim().slice(0, 300) || l10n.t('The model gave no usable answer.');
}
