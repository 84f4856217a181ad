/** Returns the text of the prompt after a message moved back into it, before what was typed since. */
export function putBack(text: string, since: string): string {
  return [text, since].filter((part) => part.trim() !== '').join('\n\n');
}
