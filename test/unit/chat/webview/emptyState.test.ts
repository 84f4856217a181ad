import assert from 'node:assert/strict';
import type { ViewState } from '../../../../src/chat/protocol.ts';
import { elementLine, of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { notedIn, view } from './viewParts.ts';

usePage();
const { EmptyState } = await import('../../../../src/chat/webview/emptyState.ts');
leavePage();

const conversation = (change: Partial<ViewState['recent'][number]> = {}): ViewState['recent'][number] => ({
  id: 'a',
  title: 'A',
  updatedAtMs: Date.now() - 2 * 3_600_000,
  isWriting: false,
  isUnread: false,
  ...change,
});
const suggestions: ViewState['suggestions'] = [
  { title: 'T', prompt: 'P' },
  { title: 'U', prompt: 'Q', isDeed: true, icon: 'error', deed: 'D' },
];
const row = (className: string, title: string, age: string): string =>
  `button.${className}{span.recent-title{${title}} | span.recent-age{${age}}}`;

describe('an empty conversation', () => {
  let calls: unknown[][] = [];
  let empty: InstanceType<typeof EmptyState>;
  const noted = notedIn(() => calls);
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    calls = [];
    empty = new EmptyState({
      suggest: noted('suggest'),
      open: noted('open'),
      showAll: noted('all'),
      takeRoom: noted('room'),
    });
  });
  const parts = (): string[] => of(empty.element).children.map(elementLine);
  const everything = view({
    offersRoom: true,
    suggestions,
    recent: [
      conversation({ isWriting: true, isUnread: true }),
      conversation({ id: 'b', title: '', isUnread: true }),
      conversation({ id: 'c', title: 'C' }),
    ],
  });

  it('says whom it asks, what may be asked, what was before, and where there is more room', () => {
    empty.update(everything, true);
    assert.deepEqual(parts(), [
      'h2{Ask Millrace}',
      'p{Chat with the models of P. Answers come from the endpoint below and may be wrong.}',
      'section.suggestions [aria-label=Now]{h3{Now} | ' +
        'button.suggestion{(error) | span.suggestion-text{U | span.suggestion-prompt{Q}} | span.suggestion-deed{D}}}',
      'section.suggestions [aria-label=Suggestions]{h3{Suggestions} | ' +
        'button.suggestion{span.suggestion-text{T | span.suggestion-prompt{P}}}}',
      `section.recent [aria-label=Recent]{${[
        'div.recent-head{h3{Recent} | button.link-button{Show all}}',
        row('recent-item.unread', 'A', 'writing'),
        row('recent-item.unread', 'Untitled chat', 'new answer'),
        row('recent-item', 'C', '2h ago'),
      ].join(' | ')}}`,
      'p.room{More room for the chat: | button.link-button{Another side bar…} | ' +
        'button.link-button{Editor tab} | button.link-button{No thanks}}',
    ]);
    for (const button of of(empty.element).querySelectorAll('button')) button.does('click');
    assert.deepEqual(calls, [
      ['suggest', suggestions[1]],
      ['suggest', suggestions[0]],
      ['all'],
      ['open', 'a'],
      ['open', 'b'],
      ['open', 'c'],
      ['room', 'sideBar'],
      ['room', 'tab'],
      ['room', 'none'],
    ]);
  });
});
