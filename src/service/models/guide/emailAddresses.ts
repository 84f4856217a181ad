/** The e-mail addresses of a text, in their order. */
export function emailAddresses(text: string): string[] {
  return text.match(/(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g) ?? [];
}
