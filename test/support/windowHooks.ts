/** Loaded by mocha for the end-to-end tests: a picture of every open window when a test fails, and no window left open. */
import type { Context } from 'mocha';
import { openWindows } from './window.ts';

export const mochaHooks = {
  async afterEach(this: Context): Promise<void> {
    if (this.currentTest?.state !== 'failed') return;
    const name = this.currentTest
      .fullTitle()
      .replace(/[^\w.-]+/g, '-')
      .slice(0, 100);
    let number = 0;
    for (const window of openWindows) {
      number += 1;
      const file = await window.screenshot(`failed-${name}${number > 1 ? `-${number}` : ''}`).catch(() => undefined);
      if (file !== undefined) console.log(`      the window when it failed: ${file}`);
    }
  },
  async afterAll(): Promise<void> {
    for (const window of [...openWindows]) await window.close();
  },
};
