import { leavePage, usePage } from './page.ts';

/** The stand-in for the tests of a `describe`, with a clock that stands: all is drawn at once, however slow the machine is. */
export function useStillPage(): void {
  const sinceStart = performance.now;
  before(() => {
    usePage();
    performance.now = () => 0;
  });
  after(() => {
    performance.now = sinceStart;
    leavePage();
  });
}
