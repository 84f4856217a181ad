import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { pagePolicy } from '../../src/chat/chatPage.ts';
import { openChatPage } from '../support/chatHarness/chatPage.ts';
import { fakePorts, textAnswer } from '../support/chatHarness/fakePorts.ts';
import { hostilePayloads, requestPayloads } from '../support/chatHarness/hostilePayloads.ts';
import { bundleForBrowser } from '../support/chatHarness/pageBundle.ts';
import { launchChromium } from '../support/chromium.ts';
import { cases as caseCount } from '../support/counts.ts';
import { eventually } from '../support/eventually.ts';

/** What the lab offers in the page. */
interface Lab {
  renderOnly(payloads: readonly string[]): void;
  sanitizeOnly(payloads: readonly string[]): void;
  insertRaw(payloads: readonly string[]): void;
  streamSplit(payloads: readonly string[]): number;
  pressEverything(): void;
}

type Arm = 'renderOnly' | 'sanitizeOnly' | 'insertRaw' | 'streamSplit';

const batchSize = 400;

describe('Chat view with hostile text in Chromium', function () {
  this.timeout(600_000);
  let browser: Browser;
  let script: string;
  const loading = requestPayloads();
  const payloads = [...hostilePayloads(), ...loading];

  /** How much longer than usual the payloads get: a control in which too few of them ran raises it for all that follow. */
  let slowness = 1;

  const every = (step: number): string[] => payloads.filter((_, index) => index % step === 0);

  before(async () => {
    browser = await launchChromium();
    script = await bundleForBrowser('test/support/chatHarness/securityLab.ts', 'lab');
  });
  after(() => browser.close());

  /** Shows the payloads, some in each document; answers how many handlers ran and which requests were made. */
  async function attack(
    arm: Arm,
    withPolicy: boolean,
    attacks: readonly string[],
    perPage = batchSize,
  ): Promise<{ executed: number; requests: string[]; cases: number }> {
    const context = await browser.newContext();
    const requests: string[] = [];
    let executed = 0;
    let cases = 0;
    await context.route('**/*', (route) => {
      const url = route.request().url();
      if (url === 'http://chat.test/') {
        const meta = withPolicy ? `<meta http-equiv="Content-Security-Policy" content="${pagePolicy('lab')}">` : '';
        return route.fulfill({
          contentType: 'text/html',
          body: `<!doctype html><meta charset=utf-8>${meta}<body><script nonce=lab>${script};window.lab=lab</script>`,
        });
      }
      requests.push(url);
      return route.abort();
    });
    await context.exposeFunction('reportExecution', () => (executed += 1));
    await context.addInitScript(() => {
      const report = (window as unknown as { reportExecution(): void }).reportExecution;
      Object.assign(window, {
        alert: () => report(),
        confirm: () => report(),
        prompt: () => report(),
        open: () => null,
      });
    });
    // One tab for all: to make one costs the browser more than to show what is in it.
    const page = await context.newPage();
    page.on('dialog', (dialog) => void dialog.dismiss());
    for (let at = 0; at < attacks.length; at += perPage) {
      await page.goto('http://chat.test/');
      cases += await run(page, arm, attacks.slice(at, at + perPage));
    }
    await context.close();
    return { executed, requests, cases };
  }

  async function run(page: Page, arm: Arm, attacks: readonly string[]): Promise<number> {
    const count = await page.evaluate(
      ({ name, texts }) => {
        const { lab } = window as unknown as { lab: Lab };
        return lab[name](texts) ?? texts.length;
      },
      { name: arm, texts: attacks },
    );
    await page.waitForTimeout(60 * slowness);
    // A page that was led away by a payload has no lab any more; what ran has been counted.
    await page.evaluate(() => (window as unknown as { lab?: Lab }).lab?.pressEverything()).catch(() => undefined);
    await page.waitForTimeout(40 * slowness);
    return count;
  }

  it('has at least 1,600 payloads, of which more than 60 run without protection', async () => {
    assert.ok(payloads.length >= 1600, `${payloads.length} payloads`);
    // The control needs no more than to show that the payloads are live; a slow machine needs longer for that.
    await eventually(async () => {
      const { executed } = await attack('insertRaw', false, every(12), 50);
      if (executed <= 60) slowness *= 2;
      assert.ok(executed > 60, `only ${executed} ran`);
    });
  });

  it('runs none and requests nothing with the renderer alone (P14, P16)', async () => {
    assert.deepEqual(await attack('renderOnly', false, payloads), {
      executed: 0,
      requests: [],
      cases: payloads.length,
    });
  });

  it('runs none and requests nothing with the sanitizer alone (P14, P16)', async () => {
    assert.deepEqual(await attack('sanitizeOnly', false, payloads), {
      executed: 0,
      requests: [],
      cases: payloads.length,
    });
  });

  it("runs none with the page's policy alone (P14)", async () => {
    assert.equal((await attack('insertRaw', true, every(caseCount(1, 6)), 50)).executed, 0);
  });

  it('runs none and requests nothing while streaming, cut at any position (P15, P16)', async () => {
    const { executed, requests, cases } = await attack('streamSplit', false, every(caseCount(1, 8)));
    assert.deepEqual([executed, requests], [0, []]);
    assert.ok(cases > caseCount(40_000, 6_000), `${cases} cuts`);
  });

  it('has at least 100 payloads that make requests without protection', async () => {
    assert.ok(loading.length >= 100);
    await eventually(async () => {
      const { requests } = await attack('insertRaw', false, loading, 25);
      if (requests.length <= 40) slowness *= 2;
      assert.ok(requests.length > 40, `only ${requests.length} requests`);
    });
  });

  it('makes no request on the real page during streaming (P16)', async () => {
    const chat = await openChatPage(browser);
    chat.ports.backend.answer = textAnswer(`${loading.join('\n\n')}\n\nEnd.`, { pieceLength: 50 });
    await chat.page.getByRole('textbox', { name: 'Message' }).fill('Go');
    await chat.page.getByRole('textbox', { name: 'Message' }).press('Enter');
    await chat.page.getByText('End.').waitFor();
    await chat.page.getByText('Usage not reported').waitFor();
    // Chromium asks for videos as late as this.
    await chat.page.waitForTimeout(2_000);
    assert.deepEqual(chat.outsideRequests, []);
    await chat.close();
  });

  it('opens only http and https links, through the host (P17)', async () => {
    const ports = fakePorts();
    const links = [
      'command:workbench.action.quit',
      'javascript:alert(1)',
      'vscode://a/b',
      'file:///etc/passwd',
      'data:text/html,x',
      'https://good.test/1',
      'http://good.test/2',
      'http://bücher.test/ä',
    ];
    ports.backend.answer = textAnswer(
      `${links.map((link) => `[x](${link}) <${link}> ![i](${link})`).join('\n\n')}\n\nEnd.`,
    );
    const chat = await openChatPage(browser, { ports });
    const prompt = chat.page.getByRole('textbox', { name: 'Message' });
    await prompt.fill('Go');
    await prompt.press('Enter');
    await chat.page.getByText('End.').waitFor();
    await chat.page.getByText('Usage not reported').waitFor();
    assert.equal(await chat.page.locator('.markdown [href], .markdown [src]').count(), 0);
    for (const link of await chat.page.locator('.markdown a').all()) {
      await link.click();
      await link.press('Enter');
    }
    await eventually(() =>
      assert.deepEqual([...new Set(ports.editor.calls.map((call) => call.join(' ')))].sort(), [
        'openExternal http://good.test/2',
        'openExternal http://xn--bcher-kva.test/%C3%A4',
        'openExternal https://good.test/1',
      ]),
    );
    assert.equal(chat.page.url(), 'http://page.test:8080/');
    assert.deepEqual(chat.outsideRequests, []);
    await chat.close();
  });
});
