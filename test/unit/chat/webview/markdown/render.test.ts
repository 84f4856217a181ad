import assert from 'node:assert/strict';
import type { ElementNode, MarkdownNode } from '../../../../../src/chat/webview/markdown/tree.ts';
import { elementLine, of } from '../../../../support/editorStandIn/elementLine.ts';
import { leavePage, page, usePage } from '../../../../support/editorStandIn/page.ts';

usePage();
const { render } = await import('../../../../../src/chat/webview/markdown/render.ts');
leavePage();

describe('markdown as elements of the page', () => {
  before(usePage);
  after(leavePage);
  const element = (tag: ElementNode['tag'], more: Partial<ElementNode> = {}): ElementNode => ({
    kind: 'element',
    tag,
    children: ['x'],
    ...more,
  });
  const drawn = (...nodes: MarkdownNode[]): string[] =>
    of(render(nodes, () => page.createElement('pre') as never)).children.map(elementLine);

  it('have the attributes of their node, and no others', () => {
    assert.deepEqual(
      drawn(
        'text',
        element('a', { link: 'https://b.example/', mark: 'image' }),
        element('ol', { start: 3, children: [element('li')] }),
        element('th', { align: 'left' }),
        element('td', { align: 'right', label: 'Head' }),
        element('div', { mark: 'scroll' }),
        element('div', { mark: 'scroll rows' }),
        element('span', { mark: 'image' }),
        element('span', { mark: 'task', children: [] }),
        element('span', { mark: 'task done', children: [] }),
      ),
      [
        'text',
        'a.image "Open https://b.example/" [data-link=https://b.example/] [role=link] [tabindex=0]{x}',
        'ol [start=3]{li{x}}',
        'th.align-left{x}',
        'td.align-right [data-label=Head]{x}',
        'div.scroll [tabindex=0]{x}',
        'div.scroll.rows [tabindex=0]{x}',
        'span.image{x}',
        'span.task [role=img] [aria-label=To do]',
        'span.task.done [role=img] [aria-label=Done]',
      ],
    );
  });
});
