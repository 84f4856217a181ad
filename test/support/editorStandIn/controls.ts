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

const plainKeys = [
  'Enter',
  'Escape',
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
  'Home',
  'End',
  'PageUp',
  'F3',
  'a',
];

/** Keys as they are pressed, by name: alone, with Shift, Ctrl or Alt, and while a composition is open. */
export const keys: Readonly<Record<string, object>> = Object.fromEntries([
  ...plainKeys.map((key) => [key, { key }]),
  ...['Enter', 'F3'].map((key) => [`Shift+${key}`, { key, shiftKey: true }]),
  ['Ctrl+Enter', { key: 'Enter', ctrlKey: true }],
  ...['ArrowUp', 'ArrowDown'].map((key) => [`Alt+${key}`, { key, altKey: true }]),
  ...['Enter', 'Escape', 'ArrowUp'].map((key) => [`${key} of a composition`, { key, isComposing: true }]),
]) as Record<string, object>;

/** One control of each kind. */
export function kindsOf(controls: readonly FakeElement[]): FakeElement[] {
  const kinds = new Map(controls.map((each) => [`${each.tag} ${each.className}`, each]));
  return [...kinds.values()];
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
