/** Returns text of a server or a file for use in Markdown: no links, pictures, headings or HTML, and one line. */
export function markdownText(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]()<>#+\-.!|~:@&$"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
