import assert from 'node:assert/strict';
import { elementLine, of } from '../../../../support/editorStandIn/elementLine.ts';
import { type FakeElement, leavePage, pageTimers, usePage } from '../../../../support/editorStandIn/page.ts';
import { settle } from '../../../../support/fakeClock.ts';
import { notedIn } from '../viewParts.ts';
import '../workerHook.ts';

/** Another thread, whose answers the tests give. */
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

usePage();
const { JsonView } = await import('../../../../../src/chat/webview/json/jsonView.ts');
leavePage();

describe('an answer that is JSON, on the page', () => {
  const { Worker } = globalThis;
  let calls: unknown[][];
  let text: FakeElement;
  let view: InstanceType<typeof JsonView>;
  let element: FakeElement;
  let limits: number[];
  const schema = { type: 'object' };
  before(() => {
    usePage();
    Object.assign(globalThis, { Worker: FakeWorker });
  });
  after(() => {
    leavePage();
    Object.assign(globalThis, { Worker });
  });
  beforeEach(() => {
    [calls, limits] = [[], []];
    pageTimers.length = 0;
    Object.assign(window, {
      setTimeout: (work: () => void, inMs: number) => (limits.push(inMs), pageTimers.push(work)),
    });
    text = of(document.createElement('div'));
    const noted = notedIn(() => calls);
    view = new JsonView({ copy: noted('copy'), newFile: noted('newFile') }, () => text as never);
    element = of(view.element);
  });
  const verdict = (): string => elementLine(element.find('json-verdict'));
  const said = (): string => element.find('json-verdict').textContent;
  const worker = (): FakeWorker => FakeWorker.made.at(-1)!;
  /** Which of the buttons is pressed, and what is hidden: tree, text, the whole. */
  const state = (): unknown[] => [
    ...['Tree', 'Text'].map((name) => element.find(name).getAttribute('aria-pressed')),
    ...[element.find('json-body'), text, element].map(({ hidden }) => hidden),
  ];

  it('is told not to be what was asked for', () => {
    view.update('Hello.', {});
    assert.equal(
      verdict(),
      'span.json-verdict{(warning) | span{The request asked for one JSON value; this is not one}}',
    );
    assert.deepEqual([state(), element.find('code-actions').hidden], [['true', 'false', true, false, false], true]);
    view.update('{"a": 1}', {});
    assert.deepEqual([verdict(), element.find('code-actions').hidden], ['span.json-verdict{span{JSON}}', false]);
    view.update('Hello again.', {});
    assert.equal(element.find('code-actions').hidden, true, 'nothing is left of the one before');
  });

  it('is held against its schema in another thread, and then told to match it or why it does not', async () => {
    view.update('{"a": 1}', { name: 'invoice', schema });
    assert.equal(verdict(), 'span.json-verdict{span{Checking invoice…}}');
    assert.deepEqual(worker().asked, [{ text: '{"a": 1}', schema }]);
    await worker().says(undefined);
    assert.equal(verdict(), 'span.json-verdict{(pass) | span{Matches invoice}}');
    // The same is not looked at again; the same text for another schema is.
    view.update('{"a": 1}', { name: 'invoice', schema });
    assert.equal(worker().asked.length, 1);
    view.update('{"a": 1}', { schema });
    await worker().says('"a": too small');
    assert.equal(verdict(), 'span.json-verdict{(error) | span{Does not match the schema: "a": too small}}');
  });

  it('is not judged by what was found of an earlier text', async () => {
    view.update('{"a": 1}', { name: 'one', schema });
    view.update('{"b": 2}', undefined);
    await worker().says('wrong');
    assert.equal(said(), 'JSON');
  });

  it('is not checked for ever: after five that took too long none is', async () => {
    view.update('[1]', { name: 'slow', schema });
    assert.deepEqual(limits, [2000]);
    for (let index = 2; index <= 7; index += 1) {
      pageTimers.at(-1)?.();
      await settle();
      assert.equal(verdict(), 'span.json-verdict{(warning) | span{slow could not be checked in time}}');
      view.update(`[${index}]`, { name: 'slow', schema });
      await settle();
    }
    assert.equal(limits.length, 5);
    assert.equal(worker().isEnded, true);
    assert.equal(said(), 'slow could not be checked in time');
  });
});
