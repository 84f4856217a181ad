import { webviewPage, type WebviewPage } from '../../shared/webviewPage.ts';
import type { PageSubject } from './pageProtocol.ts';

/** What the page of a run or job is made of. */
export interface RunPageParts extends Pick<WebviewPage, 'nonce' | 'scripts' | 'style' | 'language'> {
  /** Translated texts; undefined if the editor speaks English. */
  readonly texts: Readonly<Record<string, unknown>> | undefined;
  /** What the page is of, for it to remember at once; undefined if that is not known. */
  readonly subject: PageSubject | undefined;
}

/** The page of a run or job. */
export function runPageHtml({ texts, subject, ...parts }: RunPageParts): string {
  return webviewPage({ ...parts, title: 'Millrace', data: { texts, subject } });
}
