import assert from 'node:assert/strict';
import { BoundedThread } from '../../../../src/chat/webview/boundedThread.ts';
import { jsonOf, looksLikeJson } from '../../../../src/chat/webview/json/jsonAnswer.ts';
import { click, find, inPage, onPage, pass } from '../../../support/editorStandIn/page.ts';
import './workerHook.ts';
import { settle } from '../../../support/fakeClock.ts';
import { notedIn } from './viewParts.ts';

const { jsonTree } = await onPage(() => import('../../../../src/chat/webview/json/jsonView.ts'));
const { JsonView } = await onPage(() => import('../../../../src/chat/webview/json/jsonView.ts'));

describe('an answer that may be JSON', () => {
  it('is recognized by its beginning, more easily if JSON was requested', () => {
    for (const [text, plain, whenAsked] of [
      ['{"a"', true, true],
      ['\n {\n "a"', true, true],
      ['["a"', true, true],
      ['[[', true, true],
      ['[ {', true, true],
      ['{', false, true],
      ['{ a', false, true],
      ['[1', false, true],
      ['[a](https://x)', false, true],
      ['{}', false, true],
      ['x {"a"', false, false],
      ['```json\n{"a"', false, false],
      ['"a"', false, false],
      ['', false, false],
      [`${' '.repeat(198)}{"`, true, true],
      [`${' '.repeat(199)}{"`, false, true],
      [`${' '.repeat(200)}{"`, false, false],
    ] as const)
      assert.deepEqual(
        [looksLikeJson(text, false), looksLikeJson(text, true)],
        [plain, whenAsked],
        JSON.stringify(text),
      );
  });

  it('is JSON if all of it is, also in a code fence, with exact numbers', () => {
    for (const [text, json] of [
      ['{"a": 1}', '{"a": 1}'],
      ['  \n{"a": 1}\n ', '{"a": 1}'],
      ['```json\n{"a": 1}\n```', '{"a": 1}\n'],
      ['\n```\n[1]\n```\n', '[1]\n'],
      ['[]', '[]'],
    ] as const)
      assert.deepEqual(jsonOf(text), { text: json, value: JSON.parse(json) as object }, text);
    assert.deepEqual(jsonOf('[9007199254740993]')?.value, [9007199254740993n]);
  });

  it('is not JSON if it contains anything else', () => {
    for (const text of [
      '```yaml\n{"a": 1}\n```',
      '```json\n{"a": 1}\n``` and more',
      'Here: ```json\n{"a": 1}\n```',
      '```json\n{"a": "`"}\n```',
      '{"a": 1} {"b": 2}',
      '{"a": 1,}',
      '"text"',
      '5',
      'null',
      'true',
      '',
    ])
      assert.equal(jsonOf(text), undefined, text);
  });
});

describe('jsonTree', () => {
  inPage();
  const tree = (value: object): HTMLElement => jsonTree(value);
  const list = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  it('shows each value in the color of its kind', () => {
    const drawn = [...tree({ a: 'say "x"\n', b: 1.5, c: 2n ** 63n, d: true, e: null }).children].map((line) => [
      line.textContent,
      line.lastElementChild?.className,
    ]);
    assert.deepEqual(drawn, [
      ['a: "say \\"x\\"\\n"', 'hljs-string'],
      ['b: 1.5', 'hljs-number'],
      ['c: 9223372036854775808', 'hljs-number'],
      ['d: true', 'hljs-literal'],
      ['e: null', 'hljs-literal'],
    ]);
  });

  it('truncates a string after 5,000 characters', () => {
    const length = (count: number): number => tree({ a: 'x'.repeat(count) }).textContent.length - 'a: ""'.length;
    assert.deepEqual([4999, 5000, 5001, 50_000].map(length), [4999, 5000, 5001, 5001]);
    assert.ok(tree({ a: 'x'.repeat(5001) }).textContent.endsWith('x…"'));
  });

  it('shows two hundred entries at a time', () => {
    const top = tree(list(450));
    const rest = (): string[] =>
      [...top.children].filter((each) => each.localName === 'button').map((each) => each.textContent);
    assert.deepEqual([top.children.length, rest()], [201, ['Show 250 more']]);
    click(find(top, 'json-rest'));
    assert.deepEqual([top.children.length, rest()], [401, ['Show 50 more']]);
    click(find(top, 'json-rest'));
    assert.deepEqual([top.children.length, rest(), top.lastElementChild?.textContent], [450, [], '449: 449']);
  });
});

describe('JsonView', () => {
  /** A worker whose replies come from the tests. */
  class FakeWorker extends EventTarget {
    static readonly made: FakeWorker[] = [];
    readonly asked: { text: string; schema: object }[] = [];
    isEnded = false;
    constructor() {
      super();
      FakeWorker.made.push(this);
    }
    postMessage(request: { text: string; schema: object }): void {
      this.asked.push(request);
    }
    terminate(): void {
      this.isEnded = true;
    }
    async says(problem: string | undefined): Promise<void> {
      this.dispatchEvent(new MessageEvent('message', { data: { problem } }));
      await settle();
    }
  }

  let calls: unknown[][];
  let text: HTMLElement;
  let view: InstanceType<typeof JsonView>;
  let element: HTMLElement;
  const schema = { type: 'object' };
  inPage();
  beforeEach(() => {
    calls = [];
    Object.assign(globalThis, { Worker: FakeWorker });
    text = document.createElement('div');
    const noted = notedIn(() => calls);
    view = new JsonView({ copy: noted('copy'), newFile: noted('newFile') }, () => text);
    element = view.element;
  });
  after(() => Reflect.deleteProperty(globalThis, 'Worker'));
  const verdict = (): string => find(element, 'json-verdict').textContent;
  const worker = (): FakeWorker => FakeWorker.made.at(-1)!;
  it('says if an answer is not the JSON that was requested', () => {
    view.update('Hello.', {});
    assert.match(verdict(), /this is not one/);
    assert.equal(find(element, 'code-actions').hidden, true);
    view.update('{"a": 1}', {});
    assert.deepEqual([verdict(), find(element, 'code-actions').hidden], ['JSON', false]);
    view.update('Hello again.', {});
    assert.equal(find(element, 'code-actions').hidden, true, 'nothing is left of the one before');
  });

  it('checks an answer against its schema in a worker', async () => {
    view.update('{"a": 1}', { name: 'invoice', schema });
    assert.equal(verdict(), 'Checking invoice…');
    assert.deepEqual(worker().asked, [{ text: '{"a": 1}', schema }]);
    await worker().says(undefined);
    assert.equal(verdict(), 'Matches invoice');
    // The same text is checked once per schema.
    view.update('{"a": 1}', { name: 'invoice', schema });
    assert.equal(worker().asked.length, 1);
    view.update('{"a": 1}', { schema });
    await worker().says('"a": too small');
    assert.equal(verdict(), 'Does not match the schema: "a": too small');
  });

  it('ignores the verdict on an earlier text', async () => {
    view.update('{"a": 1}', { name: 'one', schema });
    view.update('{"b": 2}', undefined);
    await worker().says('wrong');
    assert.equal(verdict(), 'JSON');
  });

  it('stops checking after five checks that took too long', async () => {
    const before = FakeWorker.made.length;
    view.update('[1]', { name: 'slow', schema });
    for (let index = 2; index <= 6; index += 1) {
      pass(1999);
      assert.match(verdict(), /Checking/);
      pass(1);
      await settle();
      assert.match(verdict(), /could not be checked/);
      view.update(`[${index}]`, { name: 'slow', schema });
      await settle();
    }
    assert.equal(FakeWorker.made.length - before, 4);
    assert.ok(FakeWorker.made.every(({ isEnded }) => isEnded));
  });
});

describe('BoundedThread', () => {
  class FakeWorker extends EventTarget {
    readonly asked: unknown[] = [];
    isEnded = false;
    constructor(address: string) {
      super();
      if (refusal) throw refusal;
      addresses.push(address);
      workers.push(this);
    }
    postMessage(request: unknown): void {
      this.asked.push(request);
    }
    terminate(): void {
      this.isEnded = true;
    }
    says(data: unknown): void {
      this.dispatchEvent(new MessageEvent('message', { data }));
    }
  }
  let workers: FakeWorker[];
  let addresses: string[];
  let refusal: Error | undefined;
  inPage();
  beforeEach(() => {
    [workers, addresses, refusal] = [[], [], undefined];
    Object.assign(globalThis, { Worker: FakeWorker });
  });
  after(() => Reflect.deleteProperty(globalThis, 'Worker'));
  const asking = (thread: BoundedThread<string, string>, ...requests: string[]) => {
    const replies: (string | undefined)[] = [];
    for (const [index, request] of requests.entries())
      void thread.ask(request).then((reply) => (replies[index] = reply ?? 'none'));
    return replies;
  };

  it('answers requests in order with one worker', async () => {
    const thread = new BoundedThread<string, string>('source', 100, 2);
    const replies = asking(thread, 'a', 'b');
    assert.deepEqual([workers.length, workers[0]?.asked], [1, ['a']]);
    assert.match(addresses[0] ?? '', /^blob:/);
    workers[0]?.says('A');
    await settle();
    assert.deepEqual([replies, workers[0]?.asked], [['A'], ['a', 'b']]);
    workers[0]?.says('B');
    await settle();
    assert.deepEqual([replies, workers.length], [['A', 'B'], 1]);
    pass(1000);
    await settle();
    assert.equal(workers[0]?.isEnded, false, 'what was answered in time is over');
  });

  it('terminates a worker that takes too long and starts another for the next request', async () => {
    const thread = new BoundedThread<string, string>('source', 100, 2);
    const replies = asking(thread, 'a', 'b', 'c');
    pass(99);
    await settle();
    assert.deepEqual([replies, workers[0]?.isEnded], [[], false]);
    pass(1);
    await settle();
    assert.deepEqual([replies, workers[0]?.isEnded, workers[1]?.asked], [['none'], true, ['b']]);
    pass(100);
    await settle();
    assert.deepEqual([replies, workers.length], [['none', 'none', 'none'], 2], 'two were too slow');
    assert.equal(await thread.ask('d'), undefined);
    assert.equal(workers.length, 2);
  });

  it('resolves without a reply if the worker fails or cannot start', async () => {
    const thread = new BoundedThread<string, string>('source', 100, 2);
    const replies = asking(thread, 'a');
    workers[0]?.dispatchEvent(new Event('error'));
    await settle();
    assert.deepEqual([replies, workers[0]?.isEnded], [['none'], true]);
    refusal = new Error('no threads');
    assert.equal(await thread.ask('b'), undefined);
    refusal = undefined;
    assert.equal(await thread.ask('c'), undefined, 'that was the last try');
    assert.equal(workers.length, 1);
  });
});
