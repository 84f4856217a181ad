/** A text with `{0}`-style places filled in. */
type Translate = (message: string, ...values: readonly (string | number)[]) => string;

let translate: Translate = fill;

/** @returns the text with its places filled in */
export function fill(message: string, ...values: readonly (string | number)[]): string {
  return values.length === 0
    ? message
    : message.replace(/\{(\d+)\}/g, (place, index: string) => String(values[Number(index)] ?? place));
}

/**
 * Texts of code that knows no editor. The extension puts the editor's translation in, the chat's page the texts that
 * came with it; elsewhere the English text is used. A text is asked for when it is shown, never while a module loads:
 * the translation may come later. `npm run texts` lists all of them in media/l10n/bundle.l10n.json.
 */
export const l10n = {
  /** The text in the language of the reader, `{0}` and so on replaced by the values. */
  t: (message: string, ...values: readonly (string | number)[]): string => translate(message, ...values),
  use(next: Translate): void {
    translate = next;
  },
  /** Translated texts by their English ones; what is not among them stays English. */
  useBundle(bundle: Readonly<Record<string, string>>): void {
    translate = (message, ...values) =>
      fill(Object.hasOwn(bundle, message) ? (bundle[message] ?? message) : message, ...values);
  },
};
