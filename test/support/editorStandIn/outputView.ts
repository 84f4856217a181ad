/** The view of a run's output, for tests that have it in a page of their own; it looks at the page as soon as it is loaded. */
import { leavePage, usePage } from './page.ts';

usePage();
export const { OutputView } = await import('../../../src/runs/webview/outputView.ts');
leavePage();

/** Gives the tests of a suite the page, and takes it away after them. */
export function inPage(): void {
  before(usePage);
  after(leavePage);
}
