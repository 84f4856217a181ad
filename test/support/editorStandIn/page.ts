/** A page for the tests of webviews: happy-dom, with a clock and a layout that the tests set. The real page is tested in a browser. */
import { mock } from 'node:test';
import { Window } from 'happy-dom';

/** The text of each highlight, by its name. */
export const highlights = new Map<string, string[]>();
/** The text of each element that was scrolled into view. */
export const scrolledTo: string[] = [];
export const clipboard: string[] = [];
const resized: (() => void)[] = [];

class Highlight {
  readonly texts: string[];
  constructor(...ranges: Range[]) {
    this.texts = ranges.map(String);
  }
}

class ResizeObserver {
  constructor(onResize: () => void) {
    resized.push(onResize);
  }
  observe(): void {}
}

const inNode = new Map<string, PropertyDescriptor | undefined>();

/** Opens an empty page, in place of the one before. */
function open(): void {
  const window = new Window({ url: 'https://page.example/' });
  // The page's clock is Node's, which tests can mock.
  for (const name of ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] as const)
    Object.assign(window, {
      [name]: (...given: unknown[]) => (globalThis[name] as (...given: unknown[]) => unknown)(...given),
    });
  window.Element.prototype.scrollIntoView = function noted() {
    scrolledTo.push(this.textContent);
  };
  const { Element, HTMLElement, HTMLButtonElement, Node, NodeFilter, Range, document } = window;
  const globals = {
    ...{
      window,
      document,
      Element,
      HTMLElement,
      HTMLButtonElement,
      Node,
      NodeFilter,
      Range,
      Highlight,
      ResizeObserver,
    },
    navigator: { clipboard: { writeText: async (text: string) => void clipboard.push(text) } },
    CSS: { highlights: { set: (name: string, { texts }: Highlight) => highlights.set(name, texts) } },
    requestAnimationFrame: (draw: () => void) => setTimeout(draw, 16),
    cancelAnimationFrame: (frame: NodeJS.Timeout) => clearTimeout(frame),
  };
  for (const [name, value] of Object.entries(globals)) {
    if (!inNode.has(name)) inNode.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
}

function close(): void {
  for (const [name, descriptor] of inNode)
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    else Reflect.deleteProperty(globalThis, name);
}

/** Loads modules that look at the page as soon as they are loaded. */
export async function onPage<T>(load: () => Promise<T>): Promise<T> {
  open();
  return load().finally(close);
}

/** Gives each test of a suite an empty page, whose clock stands still until `pass`. */
export function inPage(): void {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: 1_700_000_010_000 });
    mock.method(performance, 'now', () => 0);
    for (const list of [scrolledTo, clipboard, resized]) list.length = 0;
    highlights.clear();
    open();
  });
  afterEach(() => {
    close();
    mock.timers.reset();
    mock.reset();
  });
}

/** Lets time pass on the page; 16 ms bring the next frame. */
export const pass = (ms = 16): void => mock.timers.tick(ms);

export function blur(): void {
  (document.activeElement as HTMLElement | null)?.blur();
}

type Sizes = Partial<Record<'clientHeight' | 'clientWidth' | 'scrollHeight', number>>;

/** Sets sizes that a browser would have laid out. */
export function layOut(element: Element, sizes: Sizes): void {
  for (const [name, value] of Object.entries(sizes))
    Object.defineProperty(element, name, { value, configurable: true, writable: true });
}

/** Tells the page that its size is another. */
export function resize(): void {
  for (const onResize of resized) onResize();
}

/** Elements inside; typed as inputs, so that tests need no casts for their values. */
export const all = (root: ParentNode, selector = '*'): HTMLInputElement[] => [
  ...root.querySelectorAll<HTMLInputElement>(selector),
];

/** The first element inside with this class, accessible name, button text or tag. */
export function find(root: ParentNode, name: string): HTMLInputElement {
  const found = all(root).find(
    (each) =>
      each.classList.contains(name) ||
      each.getAttribute('aria-label') === name ||
      (each.localName === 'button' && each.textContent === name) ||
      each.localName === name,
  );
  if (!found) throw new Error(`The page has no ${name}.`);
  return found;
}

/** Fires what a person does, with the fields of its event. @returns whether the page has handled the event itself */
export function fire(target: EventTarget | undefined, type: string, fields: object = {}): boolean {
  const { Event } = window as unknown as { Event: typeof globalThis.Event };
  const event = Object.assign(new Event(type, { bubbles: true, cancelable: true }), fields);
  if (!target) throw new Error('The target of the event is missing.');
  target.dispatchEvent(event);
  return event.defaultPrevented;
}

export function click(target: Element | null | undefined): void {
  if (!target) throw new Error('There is nothing to click.');
  // As in a browser, a disabled button hears nothing.
  if (!(target as HTMLButtonElement).disabled) fire(target, 'click', { detail: 1 });
}
