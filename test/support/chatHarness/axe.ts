import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../paths.ts';

interface Axe {
  run(root: Document): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
}

/** What axe-core finds wrong in the page; none is good. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page
    .evaluate(await readFile(path.join(root, 'node_modules/axe-core/axe.min.js'), 'utf8'))
    .catch(() => undefined);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: Axe };
    return (await axe.run(document)).violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join(' | ')}`,
    );
  });
}
