import assert from 'node:assert/strict';
import { leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { holdTrail } from '../../../support/trail.ts';
import { notedIn } from './viewParts.ts';
import './workerHook.ts';

usePage();
const { HostLink } = await import('../../../../src/chat/webview/hostLink.ts');
leavePage();

describe('requests of the page', () => {
  holdTrail(import.meta.url);
  let calls: unknown[][];
  const noted = notedIn(() => calls);
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    calls = [];
  });

  it('get one reply for each request, in whatever order, and refuse what is no message', async () => {
    const posted: { id: number; params?: unknown }[] = [];
    const link = new HostLink(
      {
        postMessage: (message) => posted.push(message as { id: number }),
        getState: () => undefined,
        setState: () => undefined,
      },
      noted('push'),
      noted('broken'),
    );
    const first = link.request('stop');
    const second = link.request('copy', { text: 'x' });
    const say = (data: unknown): boolean => window.dispatchEvent(Object.assign(new Event('message'), { data }));
    assert.deepEqual(posted, [
      { type: 'request', id: 1, method: 'stop' },
      { type: 'request', id: 2, method: 'copy', params: { text: 'x' } },
    ]);
    say({ type: 'reply', id: 2 });
    say({ type: 'reply', id: 1, failure: { kind: 'server', message: 'No.' } });
    assert.deepEqual([(await first).failure?.message, (await second).failure], ['No.', undefined]);
    say({ type: 'focusPrompt' });
    say({ type: 'unheard' });
    assert.deepEqual(calls, [['push', { type: 'focusPrompt' }], ['broken']]);
  });
});
