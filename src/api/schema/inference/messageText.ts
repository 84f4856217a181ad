import { isFields } from '../../../shared/fields.ts';

/**
 * The text in a message's content (Inference API, ChatMessage), whether it is one text or, as some servers and clients
 * write it, a list of parts. Images and reasoning are not text; if there is none it is empty.
 */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(partText).join('');
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isFields(part)) return '';
  const { type, text } = part;
  const isText = type === undefined || type === 'text' || type === 'input_text' || type === 'output_text';
  return isText && typeof text === 'string' ? text : '';
}
