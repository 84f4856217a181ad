import { l10n } from '../shared/l10n.ts';
import { fenceFor, withAttachments } from './chatRequest.ts';
import { shownChoice, visibleTurns, type Answer, type Conversation } from './conversation.ts';
import { splitThoughts } from './conversationThoughts.ts';
import { resultText } from './playground.ts';

/** Returns the visible branch as readable Markdown. */
export function toMarkdown(conversation: Conversation): string {
  const parts = [`# ${conversation.title || l10n.t('Conversation')}`];
  for (const turn of visibleTurns(conversation)) {
    if (turn.role === 'user') {
      parts.push(`## ${l10n.t('You')}`, withAttachments(turn.text, turn.attachments));
      for (const result of turn.toolResults)
        parts.push(
          l10n.t('Result of the tool call `{0}`:', result.name ?? result.toolCallId),
          fenced(result.content, ''),
        );
      continue;
    }
    parts.push(`## ${turn.endpoint}`);
    const { task } = conversation;
    if (task) {
      parts.push(fenced(resultText(task, turn), task === 'embedding' ? 'json' : ''), `*${statusLine(turn)}*`);
      continue;
    }
    const choice = shownChoice(turn);
    const text = splitThoughts(choice?.text ?? '').text;
    if (text !== '') parts.push(text);
    for (const call of choice?.toolCalls ?? [])
      parts.push(l10n.t('Tool call `{0}`:', call.name), fenced(call.arguments, 'json'));
    parts.push(`*${statusLine(turn)}*`);
  }
  return `${parts.join('\n\n')}\n`;
}

/** Returns everything, including all branches, as JSON with the fields of the snapshot. */
export function toJson(conversation: Conversation): string {
  return `${JSON.stringify(conversation, undefined, 2)}\n`;
}

function fenced(text: string, language: string): string {
  const fence = fenceFor(text);
  return `${fence}${language}\n${text}\n${fence}`;
}

function statusLine(answer: Answer): string {
  const words = {
    streaming: l10n.t('Still being written'),
    done: l10n.t('Done'),
    stopped: l10n.t('Stopped'),
    cutOff: l10n.t('Cut off'),
    failed: l10n.t('Failed'),
  };
  const usage =
    answer.usage?.total_tokens === undefined
      ? l10n.t('usage not reported')
      : l10n.t('{0} tokens', answer.usage.total_tokens);
  const failure = answer.failure ? ` – ${answer.failure.message}` : '';
  return `${words[answer.status]}, ${usage}${failure}`;
}
