import type { FakeElement } from './page.ts';
import { nameOf } from './pageTrail.ts';

const pressed = new Set(['button', 'a', 'summary']);
const filled = new Set(['input', 'textarea', 'select']);

/** What a person can press or fill in, in the order of the page; what is not to be seen is left out. */
export function controlsOf(element: FakeElement): FakeElement[] {
  const inside = element.children.flatMap((child) =>
    child.nodeType === 1 && !(child as FakeElement).hidden ? controlsOf(child as FakeElement) : [],
  );
  return pressed.has(element.tag) || filled.has(element.tag) ? [element, ...inside] : inside;
}

/** A control by what is told of it. */
export function controlName(control: FakeElement): string {
  const { tag, attributes, title, textContent } = control;
  const { id } = control as { id?: string };
  const text = pressed.has(tag) && !attributes.has('aria-label') ? ` ${title || textContent.slice(0, 60)}` : '';
  return `${nameOf(control)}${id === undefined ? '' : ` #${id}`}${text}`.trim();
}

/** Presses it, or fills it in and leaves it. */
export function operate(control: FakeElement): void {
  if (pressed.has(control.tag)) {
    control.does('click', { detail: 1 });
    return;
  }
  control.focus();
  const options = control.all().filter(({ tag }) => tag === 'option');
  control.value = control.tag === 'select' ? (options.at(-1)?.getAttribute('value') ?? '') : '1';
  control.does('input');
  control.does('change');
}
