import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

interface Axe {
  run(root: Document): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

/** What axe-core finds wrong in a document, as `rule: element` lines; none is good. */
export async function accessibilityProblems(document: Page | Frame): Promise<string[]> {
  // Evaluated as the debugger does: a page's own policy allows no other script.
  await document.evaluate(fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  return document.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(globalThis.document);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
}
