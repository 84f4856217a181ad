import assert from 'node:assert/strict';
import { safeHtml as rebuild } from '../../../../src/service/export/safeHtml.ts';

const safeHtml = (html: string): string => rebuild(html).html;

describe('Safe HTML', () => {
  it('keeps the markup of a result', () => {
    const table =
      '<table><thead><tr><th>a &amp; b</th></tr></thead><tbody><tr><td colspan="2">1 &lt; 2</td></tr></tbody></table>';
    assert.equal(safeHtml(table), table);
    assert.equal(safeHtml('<p>one<br>two <b>three</b></p>'), '<p>one<br>two <b>three</b></p>');
    assert.equal(
      safeHtml('<img src="data:image/png;base64,AAAA" alt="x">'),
      '<img src="data:image/png;base64,AAAA" alt="x">',
    );
    assert.equal(
      safeHtml('<a href="https://example.org/?a=1&amp;b=2">x</a>'),
      '<a href="https://example.org/?a=1&amp;b=2" rel="noreferrer noopener">x</a>',
    );
  });

  it('drops elements that are not text, with their content', () => {
    const names = 'script style title textarea iframe noscript noembed noframes template xmp object select'.split(' ');
    for (const name of names) assert.equal(safeHtml(`a<${name}>x<b>y</b></${name.toUpperCase()} >z`), 'az', name);
  });

  for (const [attribute, kept, left] of [
    ['align', ['left', 'right', 'center', 'JUSTIFY'], ['top', 'xleft', 'left;']],
    ['valign', ['top', 'middle', 'bottom', 'Baseline'], ['left', 'top;']],
    ['scope', ['col', 'row', 'colgroup', 'ROWGROUP'], ['cols', 'xrow']],
    ...['colspan', 'rowspan', 'height', 'width', 'start'].map(
      (name) => [name, ['0', '99999', '-1', '1.2345', '50%'], ['', '100000', '1.23456', '1.', '5px', '--1']] as const,
    ),
    ['title', ['', 'x'.repeat(1000)], ['x'.repeat(1001)]],
    ['alt', ['a\nb', 'x'.repeat(1000)], ['x'.repeat(1001)]],
    ['open', ['', 'x'.repeat(10)], ['x'.repeat(11)]],
  ] as const)
    it(`keeps ${attribute} only with a valid value`, () => {
      for (const value of kept)
        assert.equal(safeHtml(`<p ${attribute}="${value}">`), `<p ${attribute}="${value}"></p>`, value);
      for (const value of left) assert.equal(safeHtml(`<p ${attribute}="${value}">`), '<p></p>', value);
    });

  it('closes open tags and ignores unmatched ends', () => {
    assert.equal(safeHtml('</div></main><b><i>x</b>y'), '<b><i>x</i></b><i>y</i>');
    assert.equal(safeHtml('a < b > c &unknown; &#x1F600;'), 'a &lt; b &gt; c &amp;unknown; 😀');
  });

  it('knows when nothing is visible', () => {
    for (const blank of ['', ' \n', '<p> </p><br>', '<script>a</script>', '<img src="https://x/y.png">', '<!-- a -->'])
      assert.equal(rebuild(blank).isBlank, true, blank);
    for (const seen of ['a', '<p>a</p>', '<p> </p><b>a</b><p> </p>', '<img src="data:image/png;base64,AAAA">', 'a<br>'])
      assert.equal(rebuild(seen).isBlank, false, seen);
  });

  it('limits depth to one hundred elements and length to eight million characters', () => {
    const depth = (count: number): string => safeHtml('<b>'.repeat(count));
    assert.equal(depth(100), '<b>'.repeat(100) + '</b>'.repeat(100));
    assert.equal(depth(101), depth(100));
    const most = 8 * 1024 * 1024;
    assert.equal(safeHtml(`${'x'.repeat(most)}y`), 'x'.repeat(most));
  });

  for (const [html, safe] of [
    ['<b><i>x</u>y', '<b><i>xy</i></b>'],
    ['<p href="https://x/">a</p>', '<p>a</p>'],
    ['<b src="data:image/png;base64,AAAA">a</b>', '<b>a</b>'],
    [`<a href='https://x/'>a</a>`, '<a href="https://x/" rel="noreferrer noopener">a</a>'],
    [`<p title='a>b"'>c</p>`, '<p title="a&gt;b&quot;">c</p>'],
    [`<p title='a`, ''],
    [`a<p '>'>b`, 'a<p>&#39;&gt;b</p>'],
    ['a</9>b', 'ab'],
    ['a</ >b', 'ab'],
    ['a<plaintext>b</plaintext>c', 'a'],
    ['<?x>a', 'a'],
    ['<!x>a', 'a'],
    ['<!-- > -->a', 'a'],
    ['<script>a</script', ''],
    ['</script>a<b>b', 'a<b>b</b>'],
    ['<script></script>a', 'a'],
    ['<p title=x title=y>a', '<p title="x">a</p>'],
    ['a<b', 'a'],
  ] as const)
    it(`turns ${html} into ${safe || 'nothing'}`, () => assert.equal(safeHtml(html), safe));

  const dropped: [string, string][] = [
    ['<script>alert(1)</script>x', 'x'],
    ['<SCRIPT SRC=//x>alert(1)</SCRIPT >x', 'x'],
    ['<script>alert(1)', ''],
    ['<style>*{background:url(//x)}</style>x', 'x'],
    ['<iframe srcdoc="<script>1</script>"></iframe>x', 'x'],
    ['<img src=x onerror=alert(1)>', ''],
    ['<img src="https://x/y.png">', ''],
    ['<img src="data:text/html;base64,AAAA">', ''],
    ['<p onclick="alert(1)" style="position:fixed" id="x" class="y">x</p>', '<p>x</p>'],
    ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="&#106;avascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href=" https://x">x</a>', '<a>x</a>'],
    ['<a href="data:text/html,x">x</a>', '<a>x</a>'],
    ['<a href="command:x">x</a>', '<a>x</a>'],
    ['<svg><script>alert(1)</script><a xlink:href="javascript:1">x</a></svg>', '<a>x</a>'],
    ['<math><mtext></p><style><img src=x onerror=1>', '<p></p>'],
    ['<!--<b>--><b>x</b>', '<b>x</b>'],
    ['<![CDATA[<b>]]>x', ']]&gt;x'],
    ['<form action="https://x"><input><button>x</button></form>', 'x'],
    [
      '<base href="https://x"><link rel=stylesheet href="https://x"><meta http-equiv=refresh content="0;url=https://x">',
      '',
    ],
    ['<b title="&quot;><img src=x onerror=1>">x</b>', '<b title="&quot;&gt;&lt;img src=x onerror=1&gt;">x</b>'],
    ['<b title=\'a\' title="b">x</b>', '<b title="a">x</b>'],
    ['<b <i>x', '<b>x</b>'],
    ['<b title="never closed', ''],
    ['<video poster="https://x"><source src="https://x"></video>', ''],
    ['<table background="https://x"><td background="https://x">x', '<table><tbody><tr><td>x</td></tr></tbody></table>'],
  ];
  for (const [input, output] of dropped)
    it(`makes ${JSON.stringify(input)} harmless`, () => assert.equal(safeHtml(input), output));

  it('lets no tag or attribute of random input through', () => {
    const pieces = [
      ...['<', '>', '"', "'", '/', '=', ' ', '&lt;', '&#60;', '<script', 'script>', '<b', '</b>', 'onerror=', 'href='],
      ...['javascript:', '<!--', '-->', '<a ', 'src=', 'x', '\0', '<style>', '`'],
    ];
    let seed = 42;
    const next = (limit: number): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % limit;
    };
    for (let round = 0; round < 20_000; round += 1) {
      const input = Array.from({ length: 1 + next(14) }, () => pieces[next(pieces.length)]!).join('');
      const output = safeHtml(input);
      const rest = output.replace(/<\/?(?:a|b)(?: (?:href|rel)="[^"<>']*")*>/g, '');
      assert.ok(
        !/[<>"']/.test(rest) && !/href="(?!https?:|mailto:)/.test(output),
        `${JSON.stringify(input)} -> ${output}`,
      );
    }
  });

  it('takes time in proportion to its input', () => {
    for (const piece of ['<a ', '<a "', '<a \'"', '<script>', '<!--', '&', '<b title="', '</b', '<b>', '<', ' ='])
      safeHtml(piece.repeat(300_000));
  }).timeout(20_000);
});
