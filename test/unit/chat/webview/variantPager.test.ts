import assert from 'node:assert/strict';
import type { Turn } from '../../../../src/chat/conversation.ts';
import { elementLine, of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, usePage } from '../../../support/editorStandIn/page.ts';

usePage();
const { VariantPager } = await import('../../../../src/chat/webview/variantPager.ts');
leavePage();

describe('the variants of a message', () => {
  before(usePage);
  after(leavePage);
  const variants = ['1', '2', '3'].map((id) => ({ id }) as Turn);
  const pagerAt = (place: number, shown = variants): { element: unknown; selected: string[] } => {
    const selected: string[] = [];
    const pager = new VariantPager((id) => selected.push(id));
    pager.update(variants[place] as Turn, shown);
    return { element: pager.element, selected };
  };
  const drawn = (label: string, previous = '', next = ''): string =>
    `{button.icon-button${previous} "Previous variant"{(previous)} | span.pager-label{${label}} | ` +
    `button.icon-button${next} "Next variant"{(next)}}`;

  it('are stepped through, up to the first and the last', () => {
    const steps: unknown[] = [];
    for (const place of [0, 1, 2]) {
      const { element, selected } = pagerAt(place);
      for (const button of of(element).querySelectorAll('button')) button.does('click');
      steps.push([elementLine(element), selected]);
    }
    assert.deepEqual(steps, [
      [`span.pager${drawn('1/3', ' disabled')}`, ['2']],
      [`span.pager${drawn('2/3')}`, ['1', '3']],
      [`span.pager${drawn('3/3', '', ' disabled')}`, ['2']],
    ]);
  });
});
