import type { FromPage } from '../../../../src/runs/page/pageProtocol.ts';
import { inPage, OutputView } from '../../../support/editorStandIn/outputView.ts';
import {
  type FakeElement,
  page,
  pageClipboard,
  pageSizes,
  pageTimers,
  passFrames,
} from '../../../support/editorStandIn/page.ts';
import { noting } from '../../../support/trail.ts';

export const of = (element: unknown): FakeElement => element as FakeElement;

/** A page of ten rows of 18 pixels and a hundred columns. @param sent takes what the page says */
const outputPage = (sent: FromPage[]) => {
  const scroller = page.createElement('div');
  Object.assign(scroller, { clientHeight: 180, clientWidth: 808 });
  const view = new OutputView(scroller as never, noting('posts', sent));
  const element = of(view.element);
  const space = element.find('rows');
  element.find('ruler').box = { width: 700, height: 17.2 };
  const passTime = (): void => {
    for (const work of pageTimers.splice(0)) work();
    passFrames();
  };
  const resize = (): void => {
    for (const size of pageSizes) size();
    passFrames();
  };
  const append = (text: string, reset = false): void => {
    view.append(text, reset);
    layOut();
  };
  const layOut = (): void => {
    passFrames();
    scroller.scrollHeight = Number.parseInt(String(space.style['height'] ?? '0'), 10);
  };
  const scroll = (top: number): void => {
    scroller.scrollTop = top;
    scroller.does('scroll');
    layOut();
  };
  resize();
  const rows = () =>
    space.children.map((row) => {
      const [number, text] = of(row).children.map((part) => part.textContent);
      return { number, text, at: of(row).style['transform'] };
    });
  const numbers = () => rows().map(({ number }) => number);
  return { view, element, scroller, space, rows, numbers, append, scroll, passTime, resize };
};

export const lines = (count: number, from = 1): string =>
  Array.from({ length: count }, (_, index) => `line ${from + index}\n`).join('');

/** Gives each test of a suite pages of its own, and what they said. */
export function outputPages() {
  const sent: FromPage[] = [];
  inPage();
  beforeEach(() => {
    sent.length = pageTimers.length = pageSizes.length = pageClipboard.length = 0;
    page.activeElement = page.body;
  });
  return { sent, make: () => outputPage(sent) };
}
