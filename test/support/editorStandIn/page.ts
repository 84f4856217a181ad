/**
 * What `document` is for unit tests of the chat's page: elements that hold their children, attributes and listeners, and nothing that lays out.
 * The page itself is tested in a browser.
 */

import { inWords, isNoting, note } from '../trail.ts';
import { clearNodeTimeout, clearPageTimeout, clipboard, pageFrames, pageSizes, pageTimeout } from './pageClock.ts';
import { allOfPage, nameOf, roots, tellChanges } from './pageTrail.ts';

export class FakeNode extends EventTarget {
  parent: FakeElement | undefined;
  text = '';
  nodeType = 3;
  get nodeName(): string {
    return '#text';
  }
  get data(): string {
    return this.text;
  }
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

/** By name, and one after the other as a browser has them: with those that are fields too. */
class Attributes extends Map<string, string> {
  readonly #element: FakeElement;
  constructor(element: FakeElement) {
    super();
    this.#element = element;
  }
  /** By their place, as a browser does: one that is removed meanwhile has the next one passed over. */
  override *[Symbol.iterator](): MapIterator<never> {
    for (let place = 0; ; place += 1) {
      const { className, title } = this.#element;
      const all = Object.entries({ ...Object.fromEntries(this.entries()), class: className, title });
      const [name, value] = all.filter(([, each]) => each !== '')[place] ?? [];
      if (name === undefined) return undefined;
      yield { name, value } as never;
    }
  }
}

/** An element; `find` looks for the first one inside with this class or this label. */
export class FakeElement extends FakeNode {
  /** Whether the pointer is down on it. */
  isPressed = false;
  readonly tag: string;
  readonly namespaceURI: string;
  override nodeType = 1;
  children: FakeNode[] = [];
  readonly attributes = new Attributes(this);
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
  constructor(tag: string, namespaceURI = 'http://www.w3.org/1999/xhtml') {
    super();
    [this.tag, this.namespaceURI] = [tag, namespaceURI];
    if (isNoting() && tag !== 'fragment') roots.add(this);
  }
  /** What it hears of. */
  readonly heard: string[] = [];
  override addEventListener(...given: Parameters<EventTarget['addEventListener']>): void {
    const [type, , how] = given;
    this.heard.push(`on ${type}${how === undefined ? '' : ` ${inWords(how)}`}`);
    super.addEventListener(...given);
  }
  get localName(): string {
    return this.tag;
  }
  get tagName(): string {
    return this.tag.toUpperCase();
  }
  override get nodeName(): string {
    return this.tagName;
  }
  get childNodes(): FakeNode[] {
    return [...this.children];
  }
  readonly classList = {
    toggle: (name: string, isOn = !this.classes.has(name)) => {
      if (isOn) this.classes.add(name);
      else this.classes.delete(name);
      return isOn;
    },
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
  hasAttribute(name: string): boolean {
    return name === 'hidden' ? this.hidden : this.attributes.has(name);
  }
  get firstElementChild(): FakeElement | null {
    return (this.children.find((child) => child instanceof FakeElement) as FakeElement | undefined) ?? null;
  }
  get lastElementChild(): FakeElement | null {
    return (this.children.findLast((child) => child instanceof FakeElement) as FakeElement | undefined) ?? null;
  }
  removeAttributeNode({ name }: { name: string }): void {
    this.attributes.delete(name);
    if (name === 'class') this.className = '';
    if (name === 'title') this.title = '';
  }
  getElementsByTagName(_every: string): FakeElement[] {
    return this.all();
  }
  scrollIntoView(): void {
    note(`brings into sight ${nameOf(this)}`);
    pageShown.push(this.textContent);
  }
  getBoundingClientRect(): object {
    return this.box;
  }
  select(): void {
    note(`selects ${nameOf(this)}`);
    this.selectionStart = 0;
  }
  setSelectionRange(from: number, to?: number): void {
    note(`selects ${nameOf(this)} ${from} ${to}`);
    this.selectionStart = from;
  }
  /** @param offset 0 for the place of the child, 1 for behind it */
  insert(offset: 0 | 1, at: FakeNode | undefined, added: (FakeNode | string)[]): void {
    for (const [index, child] of added.entries()) {
      const node = typeof child === 'string' ? Object.assign(new FakeNode(), { text: child }) : child;
      node.remove();
      node.parent = this;
      roots.delete(node as FakeElement);
      const place = at === undefined ? 0 : this.children.indexOf(at) + offset + (offset === 1 ? index : 0);
      this.children.splice(place, 0, node);
    }
  }
  append(...added: (FakeNode | string)[]): void {
    const nodes = added.flatMap((child) =>
      child instanceof FakeElement && child.tag === 'fragment' ? child.childNodes : [child],
    );
    for (const child of nodes) this.insert(1, this.children.at(-1), [child]);
  }
  prepend(...added: (FakeNode | string)[]): void {
    for (const child of added.toReversed()) this.insert(0, this.children[0], [child]);
  }
  /** Knows tags, classes and attributes, each alone or a list of them. */
  matches(selector: string): boolean {
    return selector.split(', ').some((each) => {
      if (each === '[hidden]') return this.hidden;
      if (each === ':active') return this.isPressed;
      if (each === 'details:not([open])') return this.tag === 'details' && !this.open;
      if (each === 'details:not([open]) > :not(summary)')
        return this.parent?.tag === 'details' && !this.parent.open && this.tag !== 'summary';
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
    note(`focus to ${nameOf(this)}`);
    fakeDocument.activeElement = this;
  }
  blur(): void {
    note(`focus from ${nameOf(this)}`);
    if (fakeDocument.activeElement === this) fakeDocument.activeElement = fakeDocument.body;
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
    tellChanges();
    note(`> ${type} of ${nameOf(this)} ${inWords(fields)}`);
    event.stopPropagation = () => (goesOn = false);
    // Whom it passes stands firm, whatever its listeners take off the page.
    const path: EventTarget[] = [this];
    for (let at = this.parent; at; at = at.parent) path.push(at);
    if (this.isConnected) path.push(fakeDocument as unknown as EventTarget, window);
    for (const at of path) if (goesOn) at.dispatchEvent(event);
    tellChanges();
    if (event.defaultPrevented) note('which the page takes for itself');
    return event.defaultPrevented;
  }
}

/** Who listens to the document; a page made anew has listeners of its own. */
let listening = new EventTarget();

const fakeDocument = {
  addEventListener: (...given: Parameters<EventTarget['addEventListener']>) => listening.addEventListener(...given),
  dispatchEvent: (event: Event) => listening.dispatchEvent(event),
  body: new FakeElement('body') as FakeElement & { dataset?: object },
  documentElement: { lang: 'en' },
  activeElement: undefined as FakeElement | undefined,
  /** Whether the page has the window's focus. */
  isFocused: true,
  hasFocus: () => fakeDocument.isFocused,
  createElement: (tag: string) => new FakeElement(tag),
  createElementNS: (space: string, tag: string) => new FakeElement(tag, space),
  createDocumentFragment: () => new FakeElement('fragment'),
  createTreeWalker: (root: FakeElement, _show: number, filter: (node: FakeNode) => number) => {
    const nodes = root.children.flatMap((child) => [...nodesOf(child, filter)]);
    return { nextNode: () => nodes.shift() ?? null };
  },
  createTextNode: (text: string) => Object.assign(new FakeNode(), { text }),
};
fakeDocument.body.dataset = {};
allOfPage.push(fakeDocument.body);

const nodeFilter = { SHOW_ELEMENT: 1, SHOW_TEXT: 4, FILTER_ACCEPT: 1, FILTER_REJECT: 2 };

/** A node and all in it, but those that the filter rejects, with what is in them. */
function* nodesOf(node: FakeNode, filter: (node: FakeNode) => number): Generator<FakeNode> {
  if (filter(node) === nodeFilter.FILTER_REJECT) return;
  yield node;
  if (node instanceof FakeElement) for (const child of node.children) yield* nodesOf(child, filter);
}

/** What was brought into sight. */
export const pageShown: string[] = [];
/** What the browser marks, by the name of the mark. */
export const pageMarks = new Map<string, string[]>();

class FakeRange {
  startContainer = new FakeNode();
  endContainer = new FakeNode();
  startOffset = 0;
  endOffset = 0;
  setStart(node: FakeNode, at: number): void {
    [this.startContainer, this.startOffset] = [node, at];
  }
  setEnd(node: FakeNode, at: number): void {
    [this.endContainer, this.endOffset] = [node, at];
  }
  /** Its text; where it ends in another text than it begins in, both parts with a line between them. */
  get shown(): string {
    const { startContainer, endContainer, startOffset, endOffset } = this;
    if (startContainer === endContainer) return startContainer.text.slice(startOffset, endOffset);
    return `${startContainer.text.slice(startOffset)}|${endContainer.text.slice(0, endOffset)}`;
  }
}

class FakeHighlight {
  readonly texts: string[];
  constructor(...ranges: FakeRange[]) {
    this.texts = ranges.map((range) => range.shown);
  }
}

export { pageClipboard, pageFrames, pageSizes, pageTimers, passFrames } from './pageClock.ts';

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
  Node: { TEXT_NODE: 3, ELEMENT_NODE: 1 },
  NodeFilter: nodeFilter,
  Range: FakeRange,
  Highlight: FakeHighlight,
  CSS: { highlights: { set: (name: string, { texts }: FakeHighlight) => pageMarks.set(name, texts) } },
  ResizeObserver: FakeResizeObserver,
  requestAnimationFrame: (draw: () => void) => pageFrames.push(draw),
  cancelAnimationFrame: () => undefined,
};
const known = Object.keys(browser).concat('window');
const ofNode = Object.getOwnPropertyDescriptor(globalThis, 'navigator') ?? {};

/** Puts the stand-in where the page looks for a browser, and takes it away after the tests of the file. */
export function usePage(): void {
  listening = new EventTarget();
  Object.assign(globalThis, browser, {
    window: Object.assign(new EventTarget(), {
      setInterval: () => 1,
      clearInterval: () => undefined,
      setTimeout: pageTimeout,
      clearTimeout: clearPageTimeout,
    }),
    // A browser's page calls it without its window, too.
    clearTimeout: clearPageTimeout,
  });
  Object.defineProperty(globalThis, 'navigator', { value: { clipboard }, configurable: true });
}

export function leavePage(): void {
  for (const name of known) Reflect.deleteProperty(globalThis, name);
  globalThis.clearTimeout = clearNodeTimeout;
  Object.defineProperty(globalThis, 'navigator', ofNode);
}

export const page = fakeDocument;
