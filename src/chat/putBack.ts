/** A message that goes back into the prompt, before what was typed since. */
export function putBack(text: string, since: string): string {
  return [text, since].filter((part) => part.trim() !== '').join('\n\n');
}
