/**
 * What `document` is for unit tests of the chat's page: elements that hold their children, attributes and listeners, and nothing that lays out.
 * The page itself is tested in a browser.
 */

class FakeNode extends EventTarget {
  parent: FakeElement | undefined;
  text = '';
  get textContent(): string {
    return this.text;
  }
  get isConnected(): boolean {
    return this.parent === fakeDocument.body || (this.parent?.isConnected ?? false);
  }
  remove(): void {
    if (this.parent) this.parent.children = this.parent.children.filter((child) => child !== this);
    this.parent = undefined;
  }
  get parentElement(): FakeElement | null {
    return this.parent ?? null;
  }
  get nextElementSibling(): FakeElement | null {
    const siblings = this.parent?.children ?? [];
    const next = siblings.slice(siblings.indexOf(this) + 1).find((each) => each instanceof FakeElement);
    return (next as FakeElement | undefined) ?? null;
  }
  before(...added: (FakeNode | string)[]): void {
    this.parent?.insert(0, this, added);
  }
  after(...added: (FakeNode | string)[]): void {
    this.parent?.insert(1, this, added);
  }
  replaceWith(...added: (FakeNode | string)[]): void {
    this.after(...added);
    this.remove();
  }
  appendData(text: string): void {
    this.text += text;
  }
  get length(): number {
    return this.text.length;
  }
}

/** An element; `find` looks for the first one inside with this class or this label. */
export class FakeElement extends FakeNode {
  readonly tag: string;
  children: FakeNode[] = [];
  readonly attributes = new Map<string, string>();
  readonly classes = new Set<string>();
  readonly style: Record<string, unknown> = {
    setProperty: (name: string, value: string) => void (this.style[name] = value),
  };
  hidden = false;
  disabled = false;
  open = false;
  value = '';
  title = '';
  type = '';
  rows = 0;
  scrollHeight = 0;
  scrollTop = 0;
  clientHeight = 0;
  clientWidth = 0;
  offsetTop = 0;
  selectionStart = 0;
  /** What is laid out for `getBoundingClientRect`. */
  box = { width: 0, height: 0 };
  constructor(tag: string) {
    super();
    this.tag = tag;
  }
  readonly classList = {
    toggle: (name: string, isOn = !this.classes.has(name)) =>
      void (isOn ? this.classes.add(name) : this.classes.delete(name)),
    add: (name: string) => void this.classes.add(name),
    contains: (name: string) => this.classes.has(name),
  };
  get className(): string {
    return [...this.classes].join(' ');
  }
  set className(names: string) {
    this.classes.clear();
    for (const name of names.split(' ').filter(Boolean)) this.classes.add(name);
  }
  override get textContent(): string {
    return this.children.map((child) => child.textContent).join('');
  }
  override set textContent(text: string) {
    this.replaceChildren(text);
  }
  get childElementCount(): number {
    return this.children.filter((child) => child instanceof FakeElement).length;
  }
  get firstChild(): FakeNode | null {
    return this.children[0] ?? null;
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
    if (name === 'class') this.className = value;
  }
  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }
  get firstElementChild(): FakeElement | null {
    return (this.children.find((child) => child instanceof FakeElement) as FakeElement | undefined) ?? null;
  }
  get lastElementChild(): FakeElement | null {
    return (this.children.findLast((child) => child instanceof FakeElement) as FakeElement | undefined) ?? null;
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  getBoundingClientRect(): object {
    return this.box;
  }
  select(): void {
    this.selectionStart = 0;
  }
  setSelectionRange(from: number): void {
    this.selectionStart = from;
  }
  /** @param offset 0 for the place of the child, 1 for behind it */
  insert(offset: 0 | 1, at: FakeNode | undefined, added: (FakeNode | string)[]): void {
    for (const [index, child] of added.entries()) {
      const node = typeof child === 'string' ? Object.assign(new FakeNode(), { text: child }) : child;
      node.remove();
      node.parent = this;
      const place = at === undefined ? 0 : this.children.indexOf(at) + offset + (offset === 1 ? index : 0);
      this.children.splice(place, 0, node);
    }
  }
  append(...added: (FakeNode | string)[]): void {
    for (const child of added) this.insert(1, this.children.at(-1), [child]);
  }
  prepend(...added: (FakeNode | string)[]): void {
    for (const child of added.toReversed()) this.insert(0, this.children[0], [child]);
  }
  /** Knows tags, classes and attributes, each alone or a list of them. */
  matches(selector: string): boolean {
    return selector.split(', ').some((each) => {
      const [, tag, kind, name = ''] = /^([a-z]*)(?:([.[])([a-z-]+)\]?)?$/.exec(each) ?? [];
      if (tag === undefined) throw new Error(`The stand-in of the page does not know ${each}.`);
      if (tag !== '' && tag !== this.tag) return false;
      return kind === undefined || (kind === '.' ? this.classes.has(name) : this.getAttribute(name) !== null);
    });
  }
  querySelectorAll(selector: string): FakeElement[] {
    return this.all().filter((each) => each.matches(selector));
  }
  querySelector(selector: string): FakeElement | null {
    return this.querySelectorAll(selector)[0] ?? null;
  }
  closest(selector: string): FakeElement | null {
    return this.matches(selector) ? this : (this.parent?.closest(selector) ?? null);
  }
  replaceChildren(...added: (FakeNode | string)[]): void {
    for (const child of [...this.children]) child.remove();
    this.append(...added);
  }
  contains(node: unknown): boolean {
    return (
      node === this ||
      this.children.some((child) => child === node || (child instanceof FakeElement && child.contains(node)))
    );
  }
  focus(): void {
    fakeDocument.activeElement = this;
  }
  all(): FakeElement[] {
    return this.children.flatMap((child) => (child instanceof FakeElement ? [child, ...child.all()] : []));
  }
  find(name: string): FakeElement {
    const found = this.all().find(
      (each) =>
        each.classes.has(name) ||
        each.attributes.get('aria-label') === name ||
        (each.tag === 'button' && each.textContent === name) ||
        each.tag === name,
    );
    if (!found) throw new Error(`No ${name} in ${this.tag}`);
    return found;
  }
  /** What a person does, with the fields of its event. @returns whether the page has taken the event for itself */
  does(type: string, fields: object = {}): boolean {
    const event = Object.assign(new Event(type, { cancelable: true }), fields);
    let goesOn = true;
    Object.defineProperty(event, 'target', { value: this });
    event.stopPropagation = () => (goesOn = false);
    for (let at: FakeElement | undefined = this; at && goesOn; at = at.parent) at.dispatchEvent(event);
    if (goesOn && this.isConnected) fakeDocument.dispatchEvent(event);
    return event.defaultPrevented;
  }
}

const fakeDocument = Object.assign(new EventTarget(), {
  body: new FakeElement('body') as FakeElement & { dataset?: object },
  documentElement: { lang: 'en' },
  activeElement: undefined as FakeElement | undefined,
  createElement: (tag: string) => new FakeElement(tag),
  createElementNS: (_space: string, tag: string) => new FakeElement(tag),
  createTextNode: (text: string) => Object.assign(new FakeNode(), { text }),
});
fakeDocument.body.dataset = {};

/** What waits on the page's clock; a test lets it pass. */
export const pageTimers: (() => void)[] = [];
const pageTimeout = (work: () => void): number => pageTimers.push(work);

/** What is drawn with the next frame, and what hears of another size; a test lets both happen. */
export const pageFrames: (() => void)[] = [];
export const pageSizes: (() => void)[] = [];
/** What was put into the clipboard. */
export const pageClipboard: string[] = [];
const clipboard = { writeText: async (text: string) => void pageClipboard.push(text) };

export function passFrames(): void {
  while (pageFrames.length > 0) for (const draw of pageFrames.splice(0)) draw();
}

class FakeResizeObserver {
  constructor(onSize: () => void) {
    pageSizes.push(onSize);
  }
  observe(): void {}
}

const browser = {
  document: fakeDocument,
  HTMLButtonElement: FakeElement,
  HTMLElement: FakeElement,
  Element: FakeElement,
  ResizeObserver: FakeResizeObserver,
  requestAnimationFrame: (draw: () => void) => pageFrames.push(draw),
  cancelAnimationFrame: () => undefined,
};
const known = Object.keys(browser).concat('window');
const ofNode = Object.getOwnPropertyDescriptor(globalThis, 'navigator') ?? {};

/** Puts the stand-in where the page looks for a browser, and takes it away after the tests of the file. */
export function usePage(): void {
  Object.assign(globalThis, browser, {
    window: Object.assign(new EventTarget(), {
      setInterval,
      clearInterval,
      setTimeout: pageTimeout,
      clearTimeout: () => undefined,
    }),
  });
  Object.defineProperty(globalThis, 'navigator', { value: { clipboard }, configurable: true });
}

export function leavePage(): void {
  for (const name of known) Reflect.deleteProperty(globalThis, name);
  Object.defineProperty(globalThis, 'navigator', ofNode);
}

export const page = fakeDocument;

const quiet: readonly string[] = ['class', 'viewBox', 'aria-hidden'];

/** What stands on the page, a line for each element and text, with what a person or a screen reader is told of it. */
export function outline(node: unknown, depth = 0): string {
  const indent = '  '.repeat(depth);
  if (!(node instanceof FakeElement)) return `${indent}${JSON.stringify((node as FakeNode).textContent)}\n`;
  const { tag, classes, attributes, title, value, hidden, disabled, open, style, children } = node;
  const told = [
    ...[...attributes].filter(([name]) => !quiet.includes(name)).map(([name, text]) => `${name}=${text.slice(0, 40)}`),
    ...(title === '' ? [] : [`title=${JSON.stringify(title)}`]),
    ...(value === '' ? [] : [`value=${JSON.stringify(value)}`]),
    ...Object.entries({ hidden, disabled, open }).flatMap(([name, isOn]) => (isOn ? [name] : [])),
    ...Object.entries(style).flatMap(([name, text]) => (typeof text === 'string' ? [`${name}:${text}`] : [])),
  ];
  const line = `${indent}${[tag, ...classes].join('.')}${told.length > 0 ? ` [${told.join('; ')}]` : ''}\n`;
  // What is not seen is said to be there, and no more.
  return line + (hidden ? '' : children.map((child) => outline(child, depth + 1)).join(''));
}
