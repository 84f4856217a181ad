import { shownChoice, visibleTurns, type Answer, type Conversation } from './conversation.ts';
import { fenceFor, withAttachments } from './chatRequest.ts';

/** The visible branch as markdown for people. */
export function toMarkdown(conversation: Conversation): string {
  const parts = [`# ${conversation.title || 'Conversation'}`];
  for (const turn of visibleTurns(conversation)) {
    if (turn.role === 'user') {
      parts.push('## You', withAttachments(turn.text, turn.attachments));
      for (const result of turn.toolResults) parts.push(`Result of the tool call \`${result.toolCallId}\`:`, fenced(result.content, ''));
      continue;
    }
    parts.push(`## ${turn.endpoint}`);
    const choice = shownChoice(turn);
    if (choice?.text) parts.push(choice.text);
    for (const call of choice?.toolCalls ?? []) parts.push(`Tool call \`${call.name}\`:`, fenced(call.arguments, 'json'));
    parts.push(`*${statusLine(turn)}*`);
  }
  return `${parts.join('\n\n')}\n`;
}

/** Everything, all branches included, as JSON; the fields are those of the snapshot. */
export function toJson(conversation: Conversation): string {
  return `${JSON.stringify(conversation, undefined, 2)}\n`;
}

function fenced(text: string, language: string): string {
  const fence = fenceFor(text);
  return `${fence}${language}\n${text}\n${fence}`;
}

function statusLine(answer: Answer): string {
  const words = { streaming: 'Still being written', done: 'Done', stopped: 'Stopped', cutOff: 'Cut off', failed: 'Failed' };
  const usage = answer.usage?.total_tokens === undefined ? 'usage not reported' : `${answer.usage.total_tokens} tokens`;
  const failure = answer.failure ? ` – ${answer.failure.message}` : '';
  return `${words[answer.status]}, ${usage}${failure}`;
}
