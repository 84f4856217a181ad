import * as vscode from 'vscode';
import type { FromPage, PageState, PageSubject, ToPage } from '../page/pageProtocol.ts';
import type { WorkspacePlaces } from './workspacePlaces.ts';

/** The host side of a page: reads its content and runs the commands of its buttons. */
export interface PageContent {
  /**
   * Handles a message from the page.
   * @throws AppError if a button's command fails
   */
  act(message: FromPage): Promise<void>;
  /** Called when the page becomes visible. */
  resume(): void;
  /** Called when the page is hidden. */
  pause(): void;
}

/** The tab of a page. */
export interface PageHost {
  post(message: ToPage): void;
  setTitle(title: string, state: PageState): void;
  /**
   * Shows another page.
   * @param title title of its tab, if its name is known
   */
  open(subject: PageSubject, title?: string): void;
}

export interface LinkedPage {
  readonly profileId: string;
  readonly host: PageHost;
  readonly places: WorkspacePlaces;
  readonly session: {
    /** Returns the name of a run that the page knows. */
    runLabel(runId: string): string | undefined;
  };
}

/** Handles the links and copy actions that all pages share. */
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
