import assert from 'node:assert/strict';
import { leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { notedIn } from './viewParts.ts';

usePage();
const { HostLink } = await import('../../../../src/chat/webview/hostLink.ts');
leavePage();

describe("the page's way to its host", () => {
  let calls: unknown[][];
  let posted: unknown[];
  let link: InstanceType<typeof HostLink>;
  beforeEach(() => {
    usePage();
    [calls, posted] = [[], []];
    const noted = notedIn(() => calls);
    const api = {
      postMessage: (message: unknown) => posted.push(message),
      getState: () => undefined,
      setState: () => undefined,
    };
    link = new HostLink(api, noted('push'), noted('broken'));
  });
  after(leavePage);
  const say = (data: unknown): boolean => window.dispatchEvent(Object.assign(new Event('message'), { data }));

  it('numbers what it asks, and leaves out parameters that there are none of', () => {
    void link.request('ready');
    void link.request('attachContext');
    void link.request('attachContext', {});
    void link.request('copy', { text: 'x' });
    assert.deepEqual(posted, [
      { type: 'request', id: 1, method: 'ready' },
      { type: 'request', id: 2, method: 'attachContext' },
      { type: 'request', id: 3, method: 'attachContext', params: {} },
      { type: 'request', id: 4, method: 'copy', params: { text: 'x' } },
    ]);
  });

  it('gives each reply to who asked, once, whole and in whatever order', async () => {
    const replies: unknown[] = [];
    const asked = [link.request('stop'), link.request('ready')].map(async (each) => replies.push(await each));
    const failure = { kind: 'server', message: 'No.' };
    say({ type: 'reply', id: 2, failure });
    say({ type: 'reply', id: null, failure });
    say({ type: 'reply', id: 9 });
    say({ type: 'reply', id: 1 });
    say({ type: 'reply', id: 1, failure });
    await Promise.all(asked);
    assert.deepEqual(replies, [
      { type: 'reply', id: 2, failure },
      { type: 'reply', id: 1 },
    ]);
    assert.deepEqual(calls, []);
  });

  it('passes on what the host says unasked, and tells of what it does not understand', () => {
    say({ type: 'focusPrompt' });
    say({ type: 'unheard' });
    say(undefined);
    assert.deepEqual(calls, [['push', { type: 'focusPrompt' }], ['broken'], ['broken']]);
  });
});
