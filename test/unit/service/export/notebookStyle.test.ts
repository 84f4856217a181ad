import assert from 'node:assert/strict';
import { notebookStyle } from '../../../../src/service/export/notebookStyle.ts';

/** How bright a colour is for the eye, from 0 to 1 (WCAG 2.2, relative luminance). */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe('the look of an exported notebook', () => {
  const [light = '', dark = ''] = [...notebookStyle.matchAll(/:root \{([^}]*)\}/g)].map(([, text]) => text);
  const colors = (text: string): Record<string, string> =>
    Object.fromEntries([...text.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, color]) => [name, color]));
  /** What each selector sets, on screen. */
  const rule = (selector: string): string =>
    notebookStyle
      .split('\n')
      .filter((line) => line.startsWith(`${selector} {`))
      .join();

  for (const [scheme, own] of Object.entries({ light: colors(light), dark: { ...colors(light), ...colors(dark) } }))
    it(`can be read in the ${scheme} scheme: text, notes, links and errors, on the page and in boxes`, () => {
      for (const [front, back] of [
        ['text', 'page'],
        ['text', 'box'],
        ['text', 'bad-box'],
        ['muted', 'page'],
        ['muted', 'box'],
        ['link', 'page'],
        ['link', 'box'],
        ['bad', 'page'],
        ['bad', 'bad-box'],
      ] as const) {
        const reached = contrast(own[front] ?? '', own[back] ?? '');
        assert.ok(reached >= 4.5, `${front} on ${back}: ${reached}`);
      }
      assert.equal(luminance(own['page'] ?? '') < 0.5, scheme === 'dark');
    });

  it('has colours of its own in the dark for all that has one, and says that it has both schemes', () => {
    assert.match(light, /color-scheme: light dark;/);
    assert.match(notebookStyle, /@media \(prefers-color-scheme: dark\) \{\s*:root/);
    assert.deepEqual(Object.keys(colors(dark)).toSorted(), Object.keys(colors(light)).toSorted());
    for (const [name, color] of Object.entries(colors(dark))) assert.notEqual(color, colors(light)[name], name);
    const used = [...notebookStyle.matchAll(/var\(--([a-z-]+)\)/g)].map(([, name]) => name);
    assert.deepEqual(
      used.filter((name, at) => used.indexOf(name) === at).toSorted((a = '', b = '') => (a < b ? -1 : 1)),
      Object.keys(colors(light)).toSorted(),
    );
  });

  it('keeps what is wide in its box: code scrolls, output is wrapped, and both are on paper as a whole', () => {
    assert.match(rule('pre'), /overflow-x: auto;/);
    assert.match(rule('pre.output, .output pre'), /white-space: pre-wrap; overflow-wrap: anywhere;/);
    assert.match(rule('.output.html, .output > img'), /overflow-x: auto; max-width: 100%;/);
    assert.match(rule('.exit pre'), /white-space: pre-wrap; overflow-wrap: anywhere;/);
    assert.match(rule('.widgets dd'), /overflow-wrap: anywhere;/);
    assert.match(rule('@media print'), /\.cell \{ break-inside: avoid-page; \} pre \{ white-space: pre-wrap; \}/);
  });

  it('tells errors and failed cells by colour', () => {
    for (const selector of ['.problem', '.error'])
      assert.match(rule(selector), /border-left: 4px solid var\(--bad\); background: var\(--bad-box\);/);
    assert.match(rule('.error p'), /color: var\(--bad\);/);
    assert.match(rule('.failed .state span:last-child'), /color: var\(--bad\);/);
    assert.match(rule('body'), /background: var\(--page\); color: var\(--text\);/);
    assert.match(rule('a'), /color: var\(--link\);/);
  });
});
