import assert from 'node:assert/strict';
import { parseMarkdown } from '../../../../../src/chat/webview/markdown/parser.ts';
import {
  allowedTags,
  toTree,
  type MarkdownNode,
  type ElementNode,
} from '../../../../../src/chat/webview/markdown/tree.ts';
import { cpuOf } from '../../../../support/cpuTime.ts';
import { inPage, onPage } from '../../../../support/editorStandIn/page.ts';

const { sanitize } = await onPage(() => import('../../../../../src/chat/webview/markdown/render.ts'));
const { render } = await onPage(() => import('../../../../../src/chat/webview/markdown/render.ts'));

describe('toTree', () => {
  const tree = (source: string): MarkdownNode[] => toTree(parseMarkdown(source));
  /** Formats a tree in a short notation. */
  function show(nodes: readonly MarkdownNode[]): string {
    return nodes
      .map((node) => {
        if (typeof node === 'string') return node;
        if (node.kind === 'code') return `{${node.language}|${node.text}}`;
        const marks = [node.link, node.mark, node.align, node.label, node.start]
          .filter((mark) => mark !== undefined)
          .join(' ');
        return `<${node.tag}${marks === '' ? '' : ` ${marks}`}>${show(node.children)}</${node.tag}>`;
      })
      .join('');
  }

  it('keeps text that is nested too deeply and continues after it', () => {
    for (const mark of ['> ', '- ']) {
      const nested = tree(`${mark.repeat(60)}deep\n\nafter`);
      const [before, after = ''] = show(nested).split(/(?=<p>after)/);
      assert.match(before ?? '', new RegExp(`(?:${mark}){20,}deep<`));
      assert.equal(after, '<p>after</p>');
    }
    assert.match(show(tree(`${'> - '.repeat(30)}deep\n>\n> more\n\nafter`)), /deep<.*<p>more<\/p>.*<p>after<\/p>/);
  });

  it('knows the elements of ordinary markdown', () => {
    assert.equal(
      show(tree('# A *b*\n\n1. x\n2. y **z**\n\n> q\n\n---\n`c` ~~d~~  \ne')),
      '<h1>A <em>b</em></h1><ol><li>x</li><li>y <strong>z</strong></li></ol><blockquote><p>q</p></blockquote><hr></hr><p><code>c</code> <s>d</s><br></br>e</p>',
    );
    assert.equal(
      show(tree('Roses\nare *red*\n\n> Main Street 1\n> Town')),
      '<p>Roses<br></br>are <em>red</em></p><blockquote><p>Main Street 1<br></br>Town</p></blockquote>',
    );
    assert.equal(show(tree('3. a\n\n   b')), '<ol 3><li><p>a</p><p>b</p></li></ol>');
    assert.equal(
      show(tree('|a|b|\n|:-:|--:|\n|1|2|')),
      '<div scroll rows><table><thead><tr><th center>a</th><th right>b</th></tr></thead><tbody><tr><td center ' +
        'a>1</td><td right b>2</td></tr></tbody></table></div>',
    );
    assert.equal(show(tree('```py x\na\n```\n\n    b')), '{py|a\n}{|b\n}');
  });

  it('shows formulas as code, and amounts of money as text', () => {
    assert.equal(
      show(tree('\\(a_1 + b_2\\) and\n\\[\n\\frac{x}{y}\n\\] or $$*z*$$')),
      '<p><code>a_1 + b_2</code> and<br></br><code>\\frac{x}{y}</code> or <code>*z*</code></p>',
    );
    assert.equal(show(tree('$5 and $$ 6, \\(a')), '<p>$5 and $$ 6, (a</p>');
  });

  it('shows a box for each task of a list and nowhere else', () => {
    assert.equal(
      show(tree('- [ ] a\n- [x] b *c*\n- [y] d\n- e [ ] f')),
      '<ul><li><span task></span>a</li><li><span task done></span>b <em>c</em></li><li>[y] d</li><li>e [ ] f</li></ul>',
    );
    assert.equal(
      show(tree('1. [X] a\n\n   [ ] b\n\n[ ] c')),
      '<ol><li><p><span task done></span>a</p><p>[ ] b</p></li></ol><p>[ ] c</p>',
    );
  });

  it('labels each cell with its heading, except in wide tables', () => {
    assert.equal(
      show(tree('|a *b*||\n|-|-|\n|1|2|\n|3|')),
      '<div scroll rows><table><thead><tr><th>a <em>b</em></th><th></th></tr></thead><tbody><tr><td a ' +
        'b>1</td><td>2</td></tr><tr><td a b>3</td><td></td></tr></tbody></table></div>',
    );
    assert.match(show(tree(`|${'a|'.repeat(7)}\n|${'-|'.repeat(7)}\n|1|`)), /^<div scroll><table>/);
    assert.match(show(tree('|a|\n|-|\n|1|\n\nx\n\n|b|\n|-|\n|2|')), /<td a>1<.*<td b>2</);
  });

  it('names an image without a text by its address', () => {
    assert.equal(
      show(tree('![](https://x.com/c.png) ![b](c.png) ![](d.png)')),
      '<p><a https://x.com/c.png image>https://x.com/c.png</a> ![b](c.png) ![](d.png)</p>',
    );
  });

  it('links only addresses that begin with http or https', () => {
    assert.doesNotMatch(
      show(tree('www.example.com job.py a@b.example ftp://b.example mailto:a@b.example //b.example')),
      /<a/,
    );
    const [url, other] = ['https://b.example/c_(d)', 'HTTP://b.example/'];
    assert.equal(
      show(tree(`(${url}), ${other}.`)),
      `<p>(<a ${url}>${url}</a>), <a http://b.example/>${other}</a>.</p>`,
    );
  });

  it('does not link an address with a user name, not even in part', () => {
    for (const url of ['http://user:pw@b.example/x', 'https://a.example@b.example/'])
      assert.equal(show(tree(url)), `<p>${url}</p>`);
  });

  it('shows a Punycode host as it is written, because its letters may look like another host', () => {
    const url = 'https://xn--e1awd7f.com/';
    for (const source of [`<${url}>`, url]) assert.equal(show(tree(source)), `<p><a ${url}>${url}</a></p>`);
  });

  it('shows raw HTML as text and images as links', () => {
    assert.equal(show(tree('<b onclick=x>a</b>')), '<p><b onclick=x>a</b></p>');
    assert.equal(show(tree('![cat](https://x.com/c.png)')), '<p><a https://x.com/c.png image>cat</a></p>');
    assert.equal(show(tree('![](data:image/png;base64,AA)')), '<p>![](data:image/png;base64,AA)</p>');
  });

  it('contains only allowed elements for random markdown', () => {
    const allowed = new Set<string>(allowedTags);
    const check = (nodes: readonly MarkdownNode[]): void =>
      nodes.forEach((node) => {
        if (typeof node === 'string' || node.kind === 'code') return;
        assert.ok(allowed.has(node.tag));
        check(node.children);
      });
    const alphabet = [
      '#',
      ' ',
      '\n',
      '-',
      '1.',
      '>',
      '`',
      '```',
      '~~~',
      '*',
      '_',
      '[',
      '](',
      ')',
      '<',
      '>',
      '!',
      '|',
      '\t',
      'a',
      '&lt;',
      '\\',
      'https://x.com',
      '<script>',
      '\u0000',
      ':--',
      '    ',
    ];
    let seed = 1;
    const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
    for (let round = 0; round < 2000; round += 1) {
      check(tree(Array.from({ length: 30 }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')));
    }
  });

  it('takes at most a second of the processor for 100 KB of hostile markdown', async function () {
    this.timeout(120_000);
    const size = 100_000;
    const pieces = [
      '[',
      '![',
      '*a_',
      '`',
      '> ',
      '- ',
      '[a](',
      '<',
      '&',
      '\\',
      '~',
      '|',
      '[x]: ',
      '***',
      '_a_',
      '"',
      '(',
      '[[a]](',
      '\t',
      '1. ',
      '||\n|-|\n',
      '``` ',
      '$',
      'https://',
      '[](<',
      '* * * ',
      '- a\n',
      '# a\n',
      '![[a](',
      '[a][',
      '`\n',
      '<https://x.com',
      '|a|b|\n|-|-|\n',
      'a\n',
      '![word ',
      '[a]: https://x.com\n',
      'a',
      '😀',
    ];
    const shapes: ((piece: string) => string)[] = [
      (piece) => piece.repeat(size),
      (piece) => `${piece}\n`.repeat(size),
      (piece) => `${piece}four words and more `.repeat(size),
    ];
    const sources = pieces.flatMap((piece) => shapes.map((shape) => shape(piece).slice(0, size)));
    for (const source of sources) toTree(parseMarkdown(source.slice(0, 5_000)));
    const ordinary = '# Title\n\nA *text* with `code`, a [link](https://example.com) and\n\n- an item\n\n'
      .repeat(size / 60)
      .slice(0, size);
    const slow: string[] = [];
    for (const source of sources) {
      // Take the best of five, because the garbage collector's time belongs to earlier code.
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 5 && best > 1000; round += 1)
        best = Math.min(best, await cpuOf(() => toTree(parseMarkdown(source))));
      if (best <= 1000) continue;
      // A busy core slows down an ordinary text by the same factor.
      const control = await cpuOf(() => toTree(parseMarkdown(ordinary)));
      console.log(
        `      ${JSON.stringify(source.slice(0, 30))} ${Math.round(best)} ms, an ordinary text ${Math.round(control)} ms`,
      );
      if (best > control * 4) slow.push(`${JSON.stringify(source.slice(0, 30))} ${Math.round(best)} ms`);
    }
    assert.deepEqual(slow, []);
  });
});

describe('sanitize', () => {
  inPage();
  const element = (tag: string, attributes: Record<string, string> = {}, ...children: (HTMLElement | string)[]) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const left = (child: HTMLElement): string => {
    const root = element('div', {}, child);
    sanitize(root);
    return root.innerHTML;
  };

  it('removes every attribute that is not allowed, however many an element has', () => {
    const wrong = { onclick: 'x', onload: 'x', href: 'x', src: 'x', style: 'x', id: 'x' };
    assert.deepEqual(
      left(element('p', wrong, 'a', element('a', { ...wrong, 'data-link': 'https://x.example/' }, 'b'))),
      '<p>a<a data-link="https://x.example/">b</a></p>',
    );
  });

  it('keeps an attribute only on the elements and with the values that are allowed', () => {
    const allowed: [tag: string, name: string, value: string][] = [
      ['a', 'data-link', 'https://x.example/'],
      ['td', 'data-label', 'Head'],
      ['span', 'aria-label', 'Done'],
      ['span', 'aria-label', 'To do'],
      ['span', 'role', 'img'],
      ['a', 'role', 'link'],
      ['a', 'tabindex', '0'],
      ['div', 'tabindex', '0'],
      ['ol', 'start', '123456789'],
    ];
    const refused: typeof allowed = [
      ['span', 'data-link', 'https://x.example/'],
      ['a', 'data-link', 'command:x'],
      ['th', 'data-label', 'Head'],
      ['span', 'aria-label', 'Click here'],
      ['p', 'aria-label', 'Done'],
      ['span', 'role', 'button'],
      ['div', 'role', 'link'],
      ['p', 'tabindex', '0'],
      ['ol', 'start', '1234567890'],
      ['ol', 'start', 'x'],
      ['ul', 'start', '1'],
      ['a', 'href', 'https://x.example/'],
    ];
    const has = ([tag, name, value]: (typeof allowed)[number]): boolean => {
      const made = element(tag, { [name]: value }, 'x');
      sanitize(element('div', {}, made));
      return made.getAttribute(name) === value;
    };
    assert.deepEqual([allowed.filter((each) => !has(each)), refused.filter(has)], [[], []]);
  });

  it('turns elements that are not allowed into text, at any depth', () => {
    assert.deepEqual(
      left(element('p', {}, 'a', element('script', {}, 'b()'), element('em', {}, element('img'), 'c'))),
      '<p>ab()<em>c</em></p>',
    );
  });
});

describe('rendered markdown', () => {
  inPage();
  const element = (tag: ElementNode['tag'], more: Partial<ElementNode> = {}): ElementNode => ({
    kind: 'element',
    tag,
    children: ['x'],
    ...more,
  });

  it('has the attributes of its nodes and no others', () => {
    const nodes: MarkdownNode[] = [
      'text',
      element('a', { link: 'https://b.example/', mark: 'image' }),
      element('ol', { start: 3, children: [element('li')] }),
      element('th', { align: 'left' }),
      element('td', { align: 'right', label: 'Head' }),
      element('div', { mark: 'scroll rows' }),
      element('span', { mark: 'task done', children: [] }),
    ];
    const root = document.createElement('div');
    root.append(render(nodes, () => document.createElement('pre')));
    assert.equal(
      root.innerHTML,
      'text' +
        '<a data-link="https://b.example/" role="link" tabindex="0" title="Open https://b.example/" class="image">x</a>' +
        '<ol start="3"><li>x</li></ol><th class="align-left">x</th><td class="align-right" data-label="Head">x</td>' +
        '<div class="scroll rows" tabindex="0">x</div><span class="task done" role="img" aria-label="Done"></span>',
    );
  });
});
