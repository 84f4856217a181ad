import assert from 'node:assert/strict';
import type { TokenLogprob } from '../../../../src/chat/conversationEvent.ts';
import { elementLine, of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, usePage } from '../../../support/editorStandIn/page.ts';

usePage();
const { LogprobsView } = await import('../../../../src/chat/webview/logprobsView.ts');
leavePage();

const token = (text: string, probability: number, ...alternatives: [string, number][]): TokenLogprob => ({
  token: text,
  logprob: Math.log(probability),
  alternatives: alternatives.map(([other, share]) => ({ token: other, logprob: Math.log(share) })),
});

describe('the tokens of an answer', () => {
  before(usePage);
  after(leavePage);
  const open = (): { view: InstanceType<typeof LogprobsView>; drawn: () => string[] } => {
    const view = new LogprobsView();
    of(view.element).open = true;
    return { view, drawn: () => of(view.element).find('tokens').children.map(elementLine) };
  };

  it('are shaded in five steps by how sure the model was, with what else it had in mind', () => {
    const { view, drawn } = open();
    view.update([
      token('a', 1),
      token('b', 0.81, ['c', 0.15], ['\n', 0.04]),
      token('d', 0.79),
      token('e', 0.41),
      token('f', 0.39),
      token('g', 0.19),
    ]);
    assert.deepEqual(drawn(), [
      'span.token.level-4 "\\"a\\" 100.0%"{a}',
      String.raw`span.token.level-4 "\"b\" 81.0%\n\"c\" 15.0%\n\"\\n\" 4.0%"{b}`,
      'span.token.level-3 "\\"d\\" 79.0%"{d}',
      'span.token.level-2 "\\"e\\" 41.0%"{e}',
      'span.token.level-1 "\\"f\\" 39.0%"{f}',
      'span.token.level-0 "\\"g\\" 19.0%"{g}',
    ]);
    assert.equal(elementLine(view.element).split('{')[1], 'summary');
  });

  it('are the first 2,000, which is said once', () => {
    const { view, drawn } = open();
    const tokens = (count: number): TokenLogprob[] => Array.from({ length: count }, () => token('t', 1));
    view.update(tokens(1999));
    view.update(tokens(2000));
    assert.equal(drawn().length, 2000);
    view.update(tokens(2001));
    assert.deepEqual([drawn().length, drawn().at(-1)], [2001, 'p{The first 2000 tokens are shown.}']);
    view.update(tokens(2002));
    assert.equal(drawn().length, 2001);
  });
});
