import assert from 'node:assert/strict';
import type { FromPage, ToPage } from '../../../../src/runs/page/pageProtocol.ts';
import { assertApproved } from '../../../support/approved.ts';
import { controlName, controlsOf, operate } from '../../../support/editorStandIn/controls.ts';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import {
  type FakeElement,
  leavePage,
  page,
  pageClipboard,
  passFrames,
  usePage,
} from '../../../support/editorStandIn/page.ts';
import { bare, failed, job } from './pageViews.ts';

usePage();
const { RunPageApp } = await import('../../../../src/runs/webview/pages.ts');
const { JobPageApp } = await import('../../../../src/runs/webview/jobPageApp.ts');
leavePage();

describe('every control of the pages of runs and jobs', () => {
  before(usePage);
  after(leavePage);

  const pages: Readonly<Record<string, [typeof RunPageApp | typeof JobPageApp, ...ToPage[]]>> = {
    'a failed run': [
      RunPageApp,
      { type: 'run', view: failed },
      { type: 'output', text: 'one\ntwo\n', reset: false, isEnd: true },
    ],
    'a new run': [RunPageApp, { type: 'run', view: bare }],
    'a job': [
      JobPageApp,
      { type: 'job', view: { ...job, more: [{ id: 'pause', label: 'Pause' }], notice: failed.notice } },
    ],
  };
  for (const [name, [App, ...messages]] of Object.entries(pages))
    it(`does what was approved: ${name}`, () => {
      let sent: FromPage[] = [];
      const fresh = (): FakeElement => {
        usePage();
        const app = new App((message) => sent.push(message));
        const element = of(app.element);
        page.body.replaceChildren(element);
        for (const message of messages) app.receive(message);
        passFrames();
        for (const each of element.all()) if (each.tag === 'details') each.open = true;
        sent = [];
        page.activeElement = page.body;
        pageClipboard.length = 0;
        return element;
      };
      const lines = controlsOf(fresh()).map((_each, index) => {
        const element = fresh();
        const control = controlsOf(element)[index];
        assert.ok(control);
        const its = controlName(control);
        operate(control);
        passFrames();
        const focus =
          page.activeElement === page.body ? [] : [`focus: ${controlName(page.activeElement as FakeElement)}`];
        const copied = pageClipboard.map((text) => `copied: ${JSON.stringify(text)}`);
        const pressed = control.getAttribute('aria-pressed');
        const state = pressed === null ? [] : [`pressed: ${pressed}`];
        return `${[`${its}: ${JSON.stringify(sent)}`, ...copied, ...state, ...focus].join(' ')}\n`;
      });
      assertApproved(`controls-of-${name.replaceAll(' ', '-')}`, lines.join(''));
    });
});
