/** A text with `{0}`-style places filled in. */
export type Translate = (message: string, ...values: readonly (string | number)[]) => string;

let translate: Translate = fill;

function fill(message: string, ...values: readonly (string | number)[]): string {
  return message.replace(/\{(\d+)\}/g, (place, index: string) => String(values[Number(index)] ?? place));
}

/**
 * Texts of code that knows no editor. The extension puts the editor's translation in; elsewhere the English text
 * is used. The object's name lets the editor's own tool find the texts.
 */
export const l10n = {
  t: (message: string, ...values: readonly (string | number)[]): string => translate(message, ...values),
  use(next: Translate): void {
    translate = next;
  },
};
