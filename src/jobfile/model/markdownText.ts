/** Text of a server or a file inside Markdown: no links, pictures, headings or HTML, and one line. */
export function markdownText(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]()<>#+\-.!|~:@&$"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
