type Child = Node | string | null | undefined | false;

interface Properties {
  readonly class?: string;
  /** Accessible name, if the visible text is not one. */
  readonly label?: string;
  readonly title?: string;
  readonly role?: string;
  readonly attributes?: Record<string, string>;
  onClick?(): void;
}

/** Creates an element. Text is only ever set as text, never parsed. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (properties.class) element.className = properties.class;
  if (properties.label) element.setAttribute('aria-label', properties.label);
  if (properties.title) element.title = properties.title;
  if (properties.role) element.setAttribute('role', properties.role);
  for (const [name, value] of Object.entries(properties.attributes ?? {})) element.setAttribute(name, value);
  const { onClick } = properties;
  // A callback with a parameter of its own must not get the event for it.
  if (onClick) (element as HTMLElement).addEventListener('click', () => onClick());
  if (element instanceof HTMLButtonElement) element.type = 'button';
  element.append(
    ...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** Sets the text only if it differs, so that a screen reader does not announce it again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Shows or hides, without a layout when nothing changes. */
export function setHidden(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

/**
 * Returns whether the key asks for a search. The page handles it then, and the editor, which would open a search of its own, does not see
 * it.
 */
export function takesFindKey(event: KeyboardEvent): boolean {
  const isFind =
    event.key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
  if (isFind) {
    event.preventDefault();
    event.stopPropagation();
  }
  return isFind;
}
