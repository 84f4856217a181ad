/** Answers the questions for a profile as a user would. */
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';

type Box = (typeof editor.boxes)[number];

/** The question that is open, once it is this one. */
export async function question(prompt: RegExp): Promise<Box> {
  const shown = (): Box | undefined => editor.boxes.findLast(({ isShown, isDisposed }) => isShown && !isDisposed);
  await eventually(
    () => prompt.test(String(shown()?.['prompt'] ?? shown()?.['placeholder'])),
    `${prompt} instead of "${String(shown()?.['prompt'] ?? shown()?.['placeholder'])}"`,
  );
  return shown() as Box;
}
export async function type(prompt: RegExp, value?: string): Promise<Box> {
  const box = await question(prompt);
  await eventually(() => box['busy'] === false);
  if (value !== undefined) {
    box['value'] = value;
    box.events.value.fire(undefined as never);
  }
  box.events.accept.fire(undefined as never);
  return box;
}
export async function choose(placeholder: RegExp, ...values: string[]): Promise<Box> {
  const box = await question(placeholder);
  const items = box['items'] as { value: string }[];
  box['selectedItems'] = items.filter(({ value }) => values.includes(value));
  box.events.accept.fire(undefined as never);
  return box;
}
export async function problemOf(box: Box): Promise<string> {
  await eventually(() => box['validationMessage'] !== undefined, 'what is wrong');
  return (box['validationMessage'] as { message: string }).message;
}
export async function leave(prompt: RegExp): Promise<void> {
  (await question(prompt)).events.hide.fire(undefined as never);
}
