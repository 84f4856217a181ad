import assert from 'node:assert/strict';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { answer, choice, notedIn } from './viewParts.ts';

usePage();
const { ProgressView } = await import('../../../../src/chat/webview/progressView.ts');
leavePage();

describe('how an answer goes on, in one line', () => {
  const startMs = 1_000_000;
  const realNow = Date.now;
  let nowMs: number;
  let calls: unknown[][];
  let told: string[];
  const noted = notedIn(() => calls);
  let view: InstanceType<typeof ProgressView>;
  const line = (): string => of(view.element).find('progress').textContent;
  const isHidden = (name: string): boolean => of(view.element).find(name).hidden;
  const going = () => answer({ endpoint: 'guide', createdAtMs: startMs });
  const wait = (waitUntilMs: number) => ({
    failure: { kind: 'server' as const, message: 'Not well.' },
    attempt: 2,
    waitUntilMs,
    giveUpAtMs: nowMs + 60_000,
  });
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    [calls, told, nowMs] = [[], [], startMs];
    Date.now = () => nowMs;
    view = new ProgressView({
      retryNow: noted('retry'),
      stop: noted('stop'),
      askAgain: noted('again'),
      askElsewhere: noted('elsewhere'),
      announce: (text) => void told.push(text),
    });
  });
  afterEach(() => (Date.now = realNow));

  it('waits for whom it is asked of, then is written, each with its seconds', () => {
    view.update(going(), undefined, undefined);
    nowMs += 3000;
    view.tick();
    assert.match(line(), /Waiting for guide, 3 s/);
    view.update(going(), choice({ text: 'x' }), undefined);
    nowMs += 1000;
    view.tick();
    assert.match(line(), /Writing, 4 s/);
    nowMs += 20_000;
    view.tick();
    assert.match(line(), /No word for 21 s/);
  });

  it('tells that it stalls once, however often and long', () => {
    const says = (text: string): void => view.update(going(), choice({ text }), undefined);
    says('x');
    for (let second = 0; second < 60; second += 1) {
      nowMs += 1000;
      if (second === 30) says('xy');
      view.tick();
    }
    assert.deepEqual(told, ['No word for 10 s; the connection is open.']);
  });

  const buttons = (): Map<string, ReturnType<typeof of>> =>
    new Map(
      of(view.element)
        .all()
        .filter(({ tag }) => tag === 'button')
        .map((button) => [button.textContent, button]),
    );

  it('offers to go on at once, to stop and to ask another while it waits', () => {
    view.update(going(), undefined, {
      ...wait(nowMs + 5000),
      failure: { kind: 'server' as const, message: 'Not well.', remedy: 'Wait.' },
    });
    assert.equal(of(view.element).find('card-remedy').textContent, 'Wait.');
    assert.deepEqual([...buttons().keys()], ['Retry Now', 'Stop', 'Other Endpoint']);
    for (const button of buttons().values()) button.does('click');
    assert.deepEqual(calls, [['retry'], ['stop'], ['elsewhere']]);
    assert.equal(view.isWriting, false);
    view.update(going(), choice({ text: 'x' }), wait(nowMs + 5000));
    assert.equal(view.isWriting, false, 'it waits, whatever came before');
    view.update(going(), choice({ text: 'x' }), wait(nowMs));
    assert.equal(of(view.element).find('countdown').textContent, 'Trying again…');
  });

  it('shows dots before the first word, and marks and buttons only while it stalls', () => {
    const shown = (): unknown[] => {
      const [stop, again] = [...buttons().values()];
      const progress = of(view.element).find('progress');
      return [isHidden('dots'), progress.className, stop?.hidden, again?.hidden];
    };
    view.update(going(), undefined, undefined);
    assert.deepEqual(shown(), [false, 'progress', true, true]);
    nowMs += 60_000;
    view.tick();
    assert.deepEqual(shown(), [false, 'progress', true, true], 'nothing came, so nothing stalls');
    view.update(going(), choice({ text: 'x' }), undefined);
    assert.deepEqual(shown(), [true, 'progress', true, true]);
    nowMs += 9999;
    view.tick();
    assert.deepEqual([shown(), view.isWriting], [[true, 'progress', true, true], true]);
    nowMs += 1;
    view.tick();
    assert.deepEqual([shown(), view.isWriting], [[true, 'progress stalled', false, false], false]);
    view.update(going(), choice({ text: 'xy' }), undefined);
    assert.deepEqual(shown(), [true, 'progress', true, true]);
  });
});
