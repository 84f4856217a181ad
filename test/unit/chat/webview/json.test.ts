import assert from 'node:assert/strict';
import { askedJson, jsonOf, looksLikeJson } from '../../../../src/chat/webview/json/jsonAnswer.ts';
import { type FakeElement, leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { holdTrail } from '../../../support/trail.ts';
import './workerHook.ts';

usePage();
const { jsonTree } = await import('../../../../src/chat/webview/json/jsonView.ts');
leavePage();

describe('an answer that is JSON', () => {
  holdTrail(import.meta.url);
  before(usePage);
  after(leavePage);

  it('is one object or one list and nothing else, with exact numbers', () => {
    assert.deepEqual(jsonOf(' {"run_id": 9007199254740993}\n')?.value, { run_id: 9007199254740993n });
    assert.deepEqual(jsonOf('[1, 2]')?.value, [1, 2]);
    assert.deepEqual(jsonOf('```json\n{"a": 1}\n```'), { text: '{"a": 1}\n', value: { a: 1 } });
    for (const text of ['', 'Hello.', '1', '"a"', 'null', '{"a": 1} done', '{"a": ', '[link](https://x.example)'])
      assert.equal(jsonOf(text), undefined, text);
    const deep = '['.repeat(1_000_000);
    assert.equal(jsonOf(deep), undefined);
  });

  it('is seen by its first characters, so that prose is not taken for it', () => {
    for (const text of ['{"a', ' {\n  "a"', '[{', '[ "a"', '[[1']) assert.ok(looksLikeJson(text, false), text);
    for (const text of ['', '{', '[link](https://x)', '[1] says', '{% raw', 'A {"a": 1}'])
      assert.ok(!looksLikeJson(text, false), text);
    assert.ok(looksLikeJson('[1', true) && looksLikeJson('{', true) && !looksLikeJson('Sure: {', true));
  });

  it('has the schema that it was asked with', () => {
    const schema = { type: 'object' };
    assert.deepEqual(
      askedJson({ response_format: { type: 'json_schema', json_schema: { name: 'invoice', schema } } }),
      { name: 'invoice', schema },
    );
    assert.deepEqual(askedJson({ response_format: { type: 'json_object' } }), {});
    assert.deepEqual(askedJson({ response_format: { type: 'json_schema' } }), {});
    for (const format of [undefined, null, 'json', [], { type: 'text' }])
      assert.equal(askedJson(format === undefined ? {} : { response_format: format }), undefined);
    assert.equal(askedJson(undefined), undefined);
  });

  it('is a tree whose small branches are open and whose large ones are made when they are opened', () => {
    const tree = jsonTree({
      a: 'x',
      b: [1, 2],
      c: {},
      ids: Array.from({ length: 1000 }, (_, index) => index),
      n: null,
    });
    const of = (element: unknown): FakeElement => element as FakeElement;
    const [a, b, c, ids, n] = of(tree).children.map(of);
    assert.equal(a?.textContent, 'a: "x"');
    assert.deepEqual([b?.open, b?.textContent], [true, 'b 2 items0: 11: 2']);
    assert.equal(c?.textContent, 'c 0 keys');
    assert.deepEqual([ids?.open, ids?.textContent], [false, 'ids 1000 items']);
    assert.equal(n?.textContent, 'n: null');
    ids?.does('toggle');
    const children = ids?.find('json-children');
    assert.equal(children?.children.length, 201);
    children?.find('json-rest').does('click');
    assert.equal(children?.children.length, 401);
    assert.match(children?.textContent ?? '', /Show 600 more$/);
    ids?.does('toggle');
    assert.equal(children?.children.length, 401);
  });
});
