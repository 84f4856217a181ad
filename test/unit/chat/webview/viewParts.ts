import type { Answer, Choice, UserTurn } from '../../../../src/chat/conversation.ts';
import type { ViewState } from '../../../../src/chat/protocol.ts';
import { inWords, note } from '../../../support/trail.ts';

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
export const userTurn = (change: Partial<UserTurn> = {}): UserTurn => ({
  role: 'user',
  id: 'u',
  parentId: null,
  text: 'why',
  attachments: [],
  toolResults: [],
  createdAtMs: 1,
  ...change,
});
export const choice = (change: Partial<Choice> = {}): Choice =>
  ({ choice: 0, text: '', toolCalls: [], ...change }) as Choice;

/** Actions that note that they were called, with what, in a list that each test may begin anew. */
export const notedIn =
  (calls: () => unknown[][]) =>
  (name: string) =>
  (...args: unknown[]): void => {
    note(`asks to ${name} ${inWords(args)}`);
    calls().push([name, ...args]);
  };
