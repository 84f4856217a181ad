import type { FromPage, JobView } from '../../../../src/runs/page/pageProtocol.ts';
import type { JobPageApp } from '../../../../src/runs/webview/jobPageApp.ts';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { type FakeElement, leavePage, page, usePage } from '../../../support/editorStandIn/page.ts';
import { noting } from '../../../support/trail.ts';

usePage();
const { JobPageApp: App } = await import('../../../../src/runs/webview/jobPageApp.ts');
leavePage();

interface JobPages {
  /** What the pages of a test asked of the host. */
  readonly sent: FromPage[];
  /** A page that was given these views, one after the other. */
  drawn(...views: JobView[]): { app: JobPageApp; element: FakeElement };
}

/** The pages of jobs that each test of a suite draws. */
export function jobPages(): JobPages {
  const sent: FromPage[] = [];
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    sent.length = 0;
    page.activeElement = page.body;
  });
  return {
    sent,
    drawn(...views) {
      const app = new App(noting('posts', sent));
      for (const view of views) app.receive({ type: 'job', view });
      return { app, element: of(app.element) };
    },
  };
}
