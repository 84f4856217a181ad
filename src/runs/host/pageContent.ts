import * as vscode from 'vscode';
import type { FromPage, PageState, PageSubject, ToPage } from '../page/pageProtocol.ts';
import type { WorkspacePlaces } from './workspacePlaces.ts';

/** What is behind a page: it reads what the page shows and does what its buttons say. */
export interface PageContent {
  /** @throws AppError if a button's command fails */
  act(message: FromPage): Promise<void>;
  /** The page is seen. */
  resume(): void;
  /** Nobody sees it. */
  pause(): void;
}

/** The tab of a page. */
export interface PageHost {
  post(message: ToPage): void;
  setTitle(title: string, state: PageState): void;
  /** Shows another page. @param title of its tab, if its name is known */
  open(subject: PageSubject, title?: string): void;
}

export interface LinkedPage {
  readonly profileId: string;
  readonly host: PageHost;
  readonly places: WorkspacePlaces;
  readonly session: {
    /** The name of a run that the page knows. */
    runLabel(runId: string): string | undefined;
  };
}

/** What leads away from a page, or copies from it: the same on all of them. */
export async function followLink(
  message: Extract<FromPage, { type: 'openPlace' | 'openRun' | 'openJob' | 'copy' }>,
  { profileId, host, places, session }: LinkedPage,
): Promise<void> {
  switch (message.type) {
    case 'openPlace':
      return places.show(message.place);
    case 'openRun':
      return host.open({ kind: 'run', profileId, id: message.runId }, session.runLabel(message.runId));
    case 'openJob':
      return host.open({ kind: 'job', profileId, id: message.jobId });
    case 'copy':
      await vscode.env.clipboard.writeText(message.text);
  }
}
