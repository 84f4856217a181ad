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
  readonly style: Record<string, string> = {};
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
  append(...added: (FakeNode | string)[]): void {
    for (const child of added) {
      const node = typeof child === 'string' ? Object.assign(new FakeNode(), { text: child }) : child;
      node.remove();
      node.parent = this;
      this.children.push(node);
    }
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
    return !this.dispatchEvent(Object.assign(new Event(type, { cancelable: true }), fields));
  }
}

const fakeDocument = {
  body: new FakeElement('body') as FakeElement & { dataset?: object },
  documentElement: { lang: 'en' },
  activeElement: undefined as FakeElement | undefined,
  createElement: (tag: string) => new FakeElement(tag),
  createElementNS: (_space: string, tag: string) => new FakeElement(tag),
  createTextNode: (text: string) => Object.assign(new FakeNode(), { text }),
};
fakeDocument.body.dataset = {};

/** What waits on the page's clock; a test lets it pass. */
export const pageTimers: (() => void)[] = [];
const pageTimeout = (work: () => void): number => pageTimers.push(work);

/** Puts the stand-in where the page looks for a browser, and takes it away after the tests of the file. */
export function usePage(): void {
  Object.assign(globalThis, {
    document: fakeDocument,
    window: Object.assign(new EventTarget(), { setInterval, clearInterval, setTimeout: pageTimeout }),
    HTMLButtonElement: FakeElement,
    Element: FakeElement,
  });
}

export function leavePage(): void {
  for (const name of ['document', 'window', 'HTMLButtonElement', 'Element']) Reflect.deleteProperty(globalThis, name);
}

export const page = fakeDocument;
