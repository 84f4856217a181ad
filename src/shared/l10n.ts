/** Returns a text with `{0}` and so on replaced. */
type Translate = (message: string, ...values: readonly (string | number)[]) => string;

let translate: Translate = fill;

/** @returns the text with its placeholders replaced */
export function fill(message: string, ...values: readonly (string | number)[]): string {
  return values.length === 0
    ? message
    : message.replace(/\{(\d+)\}/g, (place, index: string) => String(values[Number(index)] ?? place));
}

/**
 * Texts of code that does not know the editor. The extension plugs in the editor's translation, the chat's page the texts that came with
 * it; elsewhere the English text is used. Request a text when it is shown, never while a module loads: the translation may come later. `npm
 * run texts` lists all texts in media/l10n/bundle.l10n.json.
 */
export const l10n = {
  /** Returns the text in the reader's language, with `{0}` and so on replaced by the values. */
  t: (message: string, ...values: readonly (string | number)[]): string => translate(message, ...values),
  use(next: Translate): void {
    translate = next;
  },
  /** Sets the translated texts by their English ones; other texts stay English. */
  useBundle(bundle: Readonly<Record<string, string>>): void {
    translate = (message, ...values) =>
      fill(Object.hasOwn(bundle, message) ? (bundle[message] ?? message) : message, ...values);
  },
};
