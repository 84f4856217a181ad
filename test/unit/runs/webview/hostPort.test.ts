import assert from 'node:assert/strict';
import { packed } from '../../../../src/runs/page/pageProtocol.ts';
import { leavePage, usePage } from '../../../support/editorStandIn/page.ts';
import { noting } from '../../../support/trail.ts';

usePage();
const { HostPort } = await import('../../../../src/runs/webview/pages.ts');
leavePage();

describe('the end of the protocol in a page', () => {
  before(usePage);
  after(leavePage);

  it('hears only of what the protocol knows', () => {
    const [posted, heard]: [unknown[], unknown[]] = [[], []];
    const port = new HostPort({ postMessage: noting('posts', posted), setState: () => undefined }, (message) =>
      heard.push(message),
    );
    for (const data of [{ type: 'files', found: ['a'], missing: [] }, { type: 'files' }, { type: 'other' }, 7])
      window.dispatchEvent(Object.assign(new Event('message'), { data }));
    port.post({ type: 'ready' });
    assert.deepEqual([heard, posted], [[{ type: 'files', found: ['a'], missing: [] }], [{ type: 'ready' }]]);
  });

  it('hears a text that came in bytes', () => {
    const heard: unknown[] = [];
    new HostPort({ postMessage: () => undefined, setState: () => undefined }, (message) => heard.push(message));
    const output = { type: 'output', text: `\ufeff${'é€😀\n'.repeat(1000)}`, reset: false, isEnd: true } as const;
    const tail = { type: 'tail', text: output.text, missingBytes: 1 } as const;
    for (const message of [output, { ...output, text: 'short' }, tail]) {
      const data = structuredClone(packed(message));
      window.dispatchEvent(Object.assign(new Event('message'), { data }));
    }
    assert.deepEqual(heard, [output, { ...output, text: 'short' }, tail]);
  });
});
