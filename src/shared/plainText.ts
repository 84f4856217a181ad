/**
 * The text without anything that the editor's messages draw as a link: `[text](command:…)` in the words of a server,
 * a job's name or a model would otherwise become a button that runs a command.
 */
export function plainText(text: string): string {
  return text.replaceAll('](', '] (');
}
