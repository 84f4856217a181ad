import type { Client } from '../api/client/client.ts';
import { contentText } from '../api/schema/inference/chat.ts';
import { endpointTaskOf } from '../api/schema/inference/endpoints.ts';
import { systemClock, type Clock } from '../shared/clock.ts';
import { AppError, describeError, toAppError } from '../shared/errors.ts';
import { fieldsOf } from '../shared/fields.ts';
import { l10n } from '../shared/l10n.ts';
import { connectFor } from './connectFor.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

/** Maximum number of prompts: each is a request to both endpoints. */
const maxPrompts = 500;

/** An endpoint's answer to one prompt. */
interface Outcome {
  readonly output: string;
  /** From the request to the end of the answer. */
  readonly latency_ms: number;
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  /** As the server reports it, in its own currency. */
  readonly cost?: number;
  readonly error?: string;
}

/**
 * Sends each prompt of a workspace file to two chat endpoints, and saves the answers side by side with latency, tokens and cost as CSV. The
 * file has one prompt per line; in a `.jsonl` file, each line is a text or an object with `prompt`.
 */
export async function compareModels(
  services: CommandServices,
  target: Target,
  clock: Clock = systemClock,
): Promise<void> {
  const { ui } = services;
  const title = l10n.t('Compare Models');
  const { client, profile } = await connectFor(services, target);
  const listed = await ui.progress(l10n.t('Loading the endpoints of {0}', profile.name), (signal) =>
    client.inference.listEndpoints({ signal }),
  );
  const chats = listed.filter(({ task }) => (endpointTaskOf(task) ?? 'chat') === 'chat').map(({ name }) => name);
  if (chats.length < 2)
    throw new AppError('invalid', l10n.t('{0} has fewer than two chat endpoints to compare.', profile.name), {
      remedy: l10n.t('Add a model with Add Model…, then try again.'),
    });
  const pick = (names: readonly string[], placeholder: string): Promise<string | undefined> =>
    ui.pick(
      title,
      placeholder,
      names.map((name) => ({ label: name, value: name })),
    );
  const first = await pick(chats, l10n.t('First endpoint'));
  const second =
    first &&
    (await pick(
      chats.filter((name) => name !== first),
      l10n.t('Second endpoint'),
    ));
  const files = (await ui.workspaceFiles('')).filter((path) => /\.(txt|jsonl)$/i.test(path));
  if (files.length === 0)
    throw new AppError('invalid', l10n.t('The workspace has no file of prompts.'), {
      remedy: l10n.t('Create a text file with one prompt per line, then try again.'),
    });
  const file = second && (await pick(files, l10n.t('File with one prompt per line')));
  if (!first || !second || !file) return;
  const prompts = promptsOf(file, await ui.workspaceText(file));
  const question = l10n.t('Send {0} prompts of {1} to {2} and {3}?', prompts.length, file, first, second);
  if (!(await ui.confirm(question, l10n.t('Each prompt is one request to each endpoint.'), l10n.t('Send')))) return;
  const rows: Outcome[][] = [];
  await ui.progress(l10n.t('Comparing {0} and {1}', first, second), async (signal) => {
    for (const prompt of prompts) {
      const row = await Promise.all(
        [first, second].map((endpoint) => ask(client, endpoint, prompt, { signal, clock })),
      );
      // The answers until then are saved.
      if (signal.aborted) return;
      rows.push(row);
    }
  });
  if (rows.length === 0) return;
  const endpoints = [first, second];
  const csv = csvOf(endpoints, prompts, rows);
  const saved = await ui.createFile('model-comparison.csv', csv);
  // The answers were paid for.
  if (saved === undefined) await ui.openUntitled('csv', csv);
  const summaries = endpoints.map((name, index) =>
    summary(
      name,
      rows.flatMap((row) => row[index] ?? []),
    ),
  );
  const where =
    saved === undefined
      ? l10n.t('The comparison is in a new document, which is not saved.')
      : l10n.t('The comparison is in {0}.', saved);
  void ui.info([where, ...summaries].join(' '));
}

/** @throws AppError if the file has no prompt, too many, or a line without a prompt */
function promptsOf(file: string, text: string): string[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
  if (lines.length === 0 || lines.length > maxPrompts)
    throw new AppError('invalid', l10n.t('{0} has {1} prompts, so nothing was sent.', file, lines.length), {
      remedy: l10n.t('Use 1 to {0} lines.', maxPrompts),
    });
  if (!/\.jsonl$/i.test(file)) return lines;
  return lines.map((line, index) => {
    const value = parsed(line);
    const prompt = typeof value === 'string' ? value : fieldsOf(value)?.['prompt'];
    if (typeof prompt === 'string') return prompt;
    throw new AppError('invalid', l10n.t('Line {0} of {1} has no prompt, so nothing was sent.', index + 1, file), {
      remedy: l10n.t('Write {0}.', '{"prompt": "…"}'),
    });
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Returns the answer; a failure is part of the comparison. */
async function ask(
  client: Client,
  endpoint: string,
  prompt: string,
  { signal, clock }: { signal: AbortSignal; clock: Clock },
): Promise<Outcome> {
  const startedAt = clock.now();
  const latency = (): number => clock.now() - startedAt;
  try {
    const messages = [{ role: 'user' as const, content: prompt }];
    const { choices, usage } = await client.inference.chat(endpoint, { messages }, { signal });
    const cost = fieldsOf(usage)?.['cost'];
    return {
      output: contentText(choices?.[0]?.message?.content),
      latency_ms: latency(),
      prompt_tokens: usage?.prompt_tokens,
      completion_tokens: usage?.completion_tokens,
      ...(typeof cost === 'number' && { cost }),
    };
  } catch (error) {
    return { output: '', latency_ms: latency(), error: describeError(toAppError(error)) };
  }
}

const columns = ['output', 'latency_ms', 'prompt_tokens', 'completion_tokens', 'cost', 'error'] as const;

/** Returns the comparison as CSV (RFC 4180), one row for each prompt, without columns that are empty for both endpoints. */
function csvOf(endpoints: readonly string[], prompts: readonly string[], rows: readonly Outcome[][]): string {
  const used = columns.filter((column) => rows.some((row) => row.some((outcome) => outcome[column] !== undefined)));
  const head = ['prompt', ...endpoints.flatMap((name) => used.map((column) => `${name} ${column}`))];
  const lines = rows.map((row, index) => [
    prompts[index] ?? '',
    ...row.flatMap((outcome) => used.map((column) => String(outcome[column] ?? ''))),
  ]);
  return [head, ...lines].map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

/** A cell that a spreadsheet would take for a formula begins with an apostrophe. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function summary(name: string, outcomes: readonly Outcome[]): string {
  const sum = (of: (outcome: Outcome) => number | undefined): number =>
    outcomes.reduce((total, outcome) => total + (of(outcome) ?? 0), 0);
  const seconds = (sum(({ latency_ms }) => latency_ms) / outcomes.length / 1000).toFixed(1);
  const failed = outcomes.filter(({ error }) => error !== undefined).length;
  const tokens = sum(({ completion_tokens }) => completion_tokens);
  return failed > 0
    ? l10n.t('{0}: {1} s on average, {2} tokens, {3} failed.', name, seconds, tokens, failed)
    : l10n.t('{0}: {1} s on average, {2} tokens.', name, seconds, tokens);
}
