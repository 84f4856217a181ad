import type { Answer, Choice } from '../../../../src/chat/conversation.ts';
import type { ViewState } from '../../../../src/chat/protocol.ts';
import type { FakeElement } from '../../../support/editorStandIn/page.ts';

/** An element of the page as what it is in these tests. */
export const of = (element: unknown): FakeElement => element as FakeElement;
export const noTools: ViewState['tools'] = { names: [], isOn: false, isFixed: false, isUnderWay: false };
export const view = (change: Partial<ViewState> = {}): ViewState => ({
  revision: 1,
  profile: { name: 'P', isProduction: false, isLocal: false },
  endpoints: { status: 'ready', items: [{ name: 'm', server: 'G' }] },
  endpoint: 'm',
  parameterFields: [],
  parameters: {},
  attachments: [],
  recent: [],
  queue: [],
  suggestions: [],
  offersRoom: false,
  tools: noTools,
  ...change,
});
export const answer = (change: Partial<Answer> = {}): Answer => ({
  role: 'assistant',
  id: 'a',
  parentId: 'u',
  endpoint: 'm',
  status: 'streaming',
  choices: [],
  shownChoice: 0,
  createdAtMs: Date.now(),
  ...change,
});
export const choice = (change: Partial<Choice> = {}): Choice =>
  ({ choice: 0, text: '', toolCalls: [], ...change }) as Choice;

/** Actions that note that they were called, with what, in a list that each test may begin anew. */
export const notedIn =
  (calls: () => unknown[][]) =>
  (name: string) =>
  (...args: unknown[]): void =>
    void calls().push([name, ...args]);

/** An element with all that is in it, on one line: `div.class state "title" [attribute=value]{what | is | in it}`; an icon is `(name)`. */
export function outline(node: unknown): string {
  const { tag, className, hidden, disabled, open, title, attributes, children, textContent } = of(node);
  if (tag === undefined) return textContent;
  if (tag === 'svg') return `(${/icon-(\w+)/.exec(className)?.[1] ?? className})`;
  const head = [
    [tag, ...className.split(' ')].filter(Boolean).join('.'),
    ...Object.entries({ hidden, disabled, open }).flatMap(([name, is]) => (is ? [name] : [])),
    ...(title === '' ? [] : [JSON.stringify(title)]),
    ...[...attributes.entries()]
      .filter(([name, value]) => name !== 'class' && !(name === 'aria-label' && value === title))
      .map(([name, value]) => `[${name}=${value}]`),
  ].join(' ');
  const inside = children.map(outline).filter(Boolean).join(' | ');
  return inside === '' ? head : `${head}{${inside}}`;
}
