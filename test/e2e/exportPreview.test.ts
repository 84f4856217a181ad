import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { previewPage } from '../../src/commands/host/previewPage.ts';
import { hostilePayloads, requestPayloads } from '../support/chatHarness/hostilePayloads.ts';
import { launchChromium } from '../support/chromium.ts';

interface Seen {
  executed: number;
  requests: string[];
  /** Pages that were led away, or whose own part was changed from within the frame. */
  changed: number;
}

describe('Preview of an exported run in Chromium', function () {
  this.timeout(240_000);
  let browser: Browser;
  const escapes = [
    '<script>parent.document.title = "changed"</script>',
    '<script>top.location = "http://evil.test/top"</script>',
    '<a id=x href="http://evil.test/a" target=_top>a</a><script>x.click()</script>',
    '<meta http-equiv=refresh content="0;url=http://evil.test/refresh">',
    '<form id=f action="http://evil.test/f" target=_top></form><script>f.submit()</script>',
    '<iframe src="http://evil.test/frame"></iframe>',
    '<base href="http://evil.test/"><img src=base.png>',
    '<script>parent.postMessage("hello", "*"); acquireVsCodeApi().postMessage({})</script>',
    '<object data="http://evil.test/o"></object><embed src="http://evil.test/e">',
    '"></iframe><script>alert(1)</script>',
    '<link rel=stylesheet href="http://evil.test/c.css"><style>@import "http://evil.test/i.css"; body { background: url(http://evil.test/b.png) }</style>',
    '<script src="http://evil.test/s.js"></script>',
    '<link rel=preload as=image href="http://evil.test/p.png"><link rel=prefetch href="http://evil.test/q"><link rel=dns-prefetch href="//evil.test">',
    '<svg><image href="http://evil.test/v.svg"/></svg><video poster="http://evil.test/w.png" src="http://evil.test/v.mp4"></video>',
  ];

  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser.close());

  /** Shows each text, as the preview shows it or as it is, presses what can be pressed, and tells what happened. */
  async function show(
    texts: readonly string[],
    page: (html: string) => string,
    perPage: number,
    waitsLong = false,
  ): Promise<Seen> {
    const context = await browser.newContext();
    const seen: Seen = { executed: 0, requests: [], changed: 0 };
    let shown = '';
    await context.route('**/*', (route) => {
      const url = route.request().url();
      if (url === 'http://preview.test/') return route.fulfill({ contentType: 'text/html', body: shown });
      // The frame's own text is no request to anybody.
      if (!url.startsWith('about:') && !url.startsWith('data:')) seen.requests.push(url);
      return route.abort();
    });
    await context.exposeFunction('reportExecution', () => (seen.executed += 1));
    await context.addInitScript(() => {
      const report = (): void => (window as unknown as { reportExecution(): void }).reportExecution();
      Object.assign(window, { alert: report, confirm: report, prompt: report, open: () => null });
    });
    // One tab for all: to make one costs the browser more than to show what is in it.
    const tab = await context.newPage();
    tab.on('dialog', (dialog) => void dialog.dismiss());
    for (let at = 0; at < texts.length; at += perPage) {
      shown = page(texts.slice(at, at + perPage).join('\n'));
      await tab.goto('http://preview.test/', { waitUntil: 'domcontentloaded', timeout: 2000 }).catch(() => undefined);
      await tab.waitForTimeout(60);
      if (waitsLong) await tab.waitForTimeout(2_000);
      const inner =
        page === preview ? tab.frames().find((frame) => frame.parentFrame() === tab.mainFrame()) : undefined;
      if (inner) {
        const pressed = inner
          .evaluate(() => {
            for (const element of document.querySelectorAll<HTMLElement>('a, button, input, [tabindex]')) {
              element.focus();
              element.click();
            }
          })
          .catch(() => undefined);
        // A frame that something in it is loading into may never answer.
        await Promise.race([pressed, delay(1000)]);
      }
      await tab.waitForTimeout(40);
      // A page that is being led away may never tell its title.
      const title =
        tab.url() === 'http://preview.test/' ? await Promise.race([tab.title().catch(() => ''), delay(1000, '')]) : '';
      if (title !== 'run 7') seen.changed += 1;
    }
    await context.close();
    return seen;
  }

  const preview = (html: string): string => previewPage('run 7', html);
  const bare = (html: string): string => `<!DOCTYPE html><title>run 7</title><body>${html}`;

  it('runs no script of any payload, of which some run elsewhere (P20)', async () => {
    const payloads = hostilePayloads();
    assert.ok(payloads.length >= 1600);
    assert.equal((await show(payloads, preview, 400)).executed, 0);
    const { executed } = await show(
      payloads.filter((_, index) => index % 80 === 0),
      bare,
      8,
    );
    assert.ok(executed > 4, `only ${executed} ran`);
  });

  it('reaches neither its parent page, nor the network, nor another address (P20)', async () => {
    // Chromium asks for videos only after more than a second.
    for (const [attacks, waitsLong] of [
      [escapes, false],
      [requestPayloads(), true],
    ] as const)
      assert.deepEqual(await show(attacks, preview, 50, waitsLong), { executed: 0, requests: [], changed: 0 });
    const without = await show(escapes, bare, 1);
    assert.ok(
      without.requests.length > 8 && without.changed > 0,
      `without walls: ${without.requests.length} requests, ${without.changed} changed`,
    );
  });
});
