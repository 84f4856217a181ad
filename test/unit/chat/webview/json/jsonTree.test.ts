import assert from 'node:assert/strict';
import { elementLine, of } from '../../../../support/editorStandIn/elementLine.ts';
import { type FakeElement, leavePage, usePage } from '../../../../support/editorStandIn/page.ts';
import '../workerHook.ts';

usePage();
const { jsonTree } = await import('../../../../../src/chat/webview/json/jsonTree.ts');
leavePage();

describe('JSON as a tree on the page', () => {
  before(usePage);
  after(leavePage);
  const tree = (value: object): FakeElement => of(jsonTree(value));
  const lines = (value: object): string[] => tree(value).children.map((child) => elementLine(child));
  const list = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  it('has a line for each value, in the colour of its kind', () => {
    const leaf = (name: string, kind: string, text: string): string =>
      `div.json-leaf{span.hljs-attr{${name}} | :  | span.hljs-${kind}{${text}}}`;
    assert.deepEqual(lines({ a: 'say "x"\n', b: 1.5, c: 2n ** 63n, d: true, e: null, f: '' }), [
      leaf('a', 'string', '"say \\"x\\"\\n"'),
      leaf('b', 'number', '1.5'),
      leaf('c', 'number', '9223372036854775808'),
      leaf('d', 'literal', 'true'),
      leaf('e', 'literal', 'null'),
      leaf('f', 'string', '""'),
    ]);
    assert.equal(elementLine(tree({})), 'div.json-tree [aria-label=JSON] [role=group]');
  });

  it('cuts off a text that is longer than five thousand characters', () => {
    const length = (count: number): number => tree({ a: 'x'.repeat(count) }).textContent.length - 'a: ""'.length;
    assert.deepEqual([4999, 5000, 5001, 50_000].map(length), [4999, 5000, 5001, 5001]);
    assert.ok(tree({ a: 'x'.repeat(5001) }).textContent.endsWith('x…"'));
  });

  it('puts two hundred entries on the page at a time', () => {
    const rows = (count: number): FakeElement[] => {
      const children = tree({ a: list(count) }).children.map(of)[0]!;
      children.does('toggle');
      return children.find('json-children').children.map(of);
    };
    assert.deepEqual(
      [199, 200, 201].map((count) => rows(count).length),
      [199, 200, 201],
    );
    assert.equal(
      rows(200).some(({ tag }) => tag === 'button'),
      false,
    );
    const [button] = rows(201).slice(-1);
    assert.deepEqual([button?.tag, button?.textContent], ['button', 'Show 1 more']);
    const top = tree(list(450));
    const rest = (): string[] =>
      top.children.filter((each) => of(each).tag === 'button').map((each) => each.textContent);
    assert.deepEqual([top.children.length, rest()], [201, ['Show 250 more']]);
    top.find('json-rest').does('click');
    assert.deepEqual([top.children.length, rest()], [401, ['Show 50 more']]);
    top.find('json-rest').does('click');
    assert.deepEqual([top.children.length, rest(), top.children.at(-1)?.textContent], [450, [], '449: 449']);
  });
});
