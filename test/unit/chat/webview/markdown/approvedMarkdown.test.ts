import assert from 'node:assert/strict';
import { assertApproved } from '../../../../support/approved.ts';
import { outline } from '../../../../support/editorStandIn/outline.ts';
import { leavePage, usePage } from '../../../../support/editorStandIn/page.ts';
import { useStillPage } from '../../../../support/editorStandIn/stillPage.ts';
import { holdTrail } from '../../../../support/trail.ts';
import '../workerHook.ts';

usePage();
const { MarkdownView } = await import('../../../../../src/chat/webview/markdown/markdownView.ts');
const { sanitize } = await import('../../../../../src/chat/webview/markdown/render.ts');
leavePage();

const text = [
  '# One\n## Two\n### Three\n#### Four\n##### Five\n###### Six\nSeven\n===\nEight\n---',
  'A paragraph with *emphasis*, **strong**, ***both***, ~~struck~~, `code ` `` ` ``, a  \nhard break and\na soft one.',
  '[link](https://x.example/a "title") <https://y.example> https://z.example/q?a=1. [bad](javascript:x) [ref][r] ![image](https://i.example/a.png "t")',
  '[r]: https://r.example',
  '- one\n  - two\n    - three\n- four\n\n  loose\n\n1. first\n2. second\n\n7) seven',
  '- [ ] open\n- [x] done\n- [y] none',
  '> quote\n> > nested\n>\n> - list',
  '| left | mid | right | none |\n|:--|:-:|--:|---|\n| a | **b** | c \\| d | |\n| 1 | 2 | 3 | 4 |',
  '| one |\n|---|\n| ok |',
  '```python\nx = 1\n\ny = 2\n```\n\n~~~\nplain\n~~~\n\n    indented\n    code',
  '- item\n\n  ```yaml\n  a: 1\n  ```\n- next',
  '***\n\n<div onclick="x">html</div> &amp; &copy; &#65; \\*escaped\\* <!-- c -->',
  'https://x.example/very/long and an@e-mail.example and 1\\. not a list',
  'Last paragraph[^1] with a footnote\n\n[^1]: note\n\n```js\nopen code',
].join('\n\n');

describe('markdown on the page, as it was approved', () => {
  holdTrail(import.meta.url);
  useStillPage();
  const actions = { copy: () => undefined, insert: () => undefined, newFile: () => undefined, apply: () => undefined };
  const drawn = (steps: readonly string[]): string => {
    const view = new MarkdownView(actions);
    for (const [index, step] of steps.entries()) view.update(step, index === steps.length - 1);
    return outline(view.element);
  };

  it('is drawn whole', () => assertApproved('markdown-whole', drawn([text])));

  it('is drawn the same, however it arrives', () => {
    const whole = drawn([text]).replaceAll(/ *div\.part(?:\.continues)?\n/g, '');
    for (const size of [7, 64, 999]) {
      const steps = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
        text.slice(0, (index + 1) * size),
      );
      const pieces = drawn(steps).replaceAll(/ *div\.part(?:\.continues)?\n/g, '');
      assert.equal(pieces.replaceAll(/^ +/gm, ''), whole.replaceAll(/^ +/gm, ''), String(size));
    }
  });

  it('is drawn while it is open', () => {
    const cuts = [40, 120, 300, 500, 700, 900, 1000].map(
      (length) => `== ${length}\n${drawn([text.slice(0, length), text.slice(0, length)].slice(0, 1))}`,
    );
    assertApproved('markdown-open', cuts.join(''));
  });

  it('keeps nothing that could do something, whoever built it', () => {
    const root = document.createElement('div');
    const add = (tag: string, attributes: Record<string, string>, parent: HTMLElement = root): HTMLElement => {
      const element = document.createElement(tag as 'div');
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      element.append('text');
      parent.append(element);
      return element;
    };
    add('script', {});
    add('a', { 'data-link': 'https://x.example', href: 'https://x.example', role: 'link', tabindex: '0' });
    add('a', { 'data-link': 'javascript:x', onclick: 'x' });
    add('p', { class: 'evil', style: 'x', role: 'button', title: 'x', tabindex: '0' });
    add('div', { class: 'scroll', tabindex: '0', role: 'x' });
    add('span', { class: 'task done', role: 'img', 'aria-label': 'Done' });
    add('span', { role: 'link', 'aria-label': 'other', 'data-label': 'x' });
    add('td', { 'data-label': 'x', class: 'align-left' });
    add('ol', { start: '7' });
    add('ol', { start: '7x' });
    add('ul', { start: '7' });
    add('img', { src: 'x' }, add('blockquote', {}));
    add('iframe', {}, add('li', {}));
    root.append(document.createElementNS('http://www.w3.org/2000/svg', 'a') as unknown as Node);
    sanitize(root);
    assertApproved('markdown-sanitized', outline(root));
  });
});
