import type { Locator } from 'playwright-core';

/** Puts a text into the field of the palette or of a question in one step. What is typed goes into an editor that takes the focus meanwhile. */
export async function enterText(field: Locator, text: string, timeout?: number): Promise<void> {
  await field.evaluate(
    (element, value) => {
      (element as HTMLInputElement).value = value;
      element.dispatchEvent(new Event('input', { bubbles: true }));
    },
    text,
    { timeout },
  );
}
