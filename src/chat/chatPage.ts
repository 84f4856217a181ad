import { webviewPage, webviewPolicy, type WebviewPage } from '../shared/webviewPage.ts';

/** Parts of the chat view's webview. */
export interface PageParts extends Pick<WebviewPage, 'nonce' | 'scripts' | 'style' | 'language'> {
  /** Translated texts for the view, the same as the host's; `undefined` if the editor's language is English. */
  readonly texts: Readonly<Record<string, unknown>> | undefined;
  /** Where the page is. A tab has the editor's background; a view beside a tab only refers to it. */
  readonly place: 'view' | 'tab' | 'besideTab';
}

/** Content security policy beyond the scripts and styles: a worker, created from code inside the script, highlights code. */
const policy = ['worker-src blob:', "img-src 'none'", "font-src 'none'", "connect-src 'none'"];

/** Returns the content security policy: the webview's own files and that worker. No images, fonts, connections or inline code. */
export function pagePolicy(nonce: string): string {
  return webviewPolicy(nonce, policy);
}

/** The files that the page loads from `dist/webview`. */
export const pageFiles = { scripts: ['chat.js'], style: 'chat.css' } as const;

/** Returns the HTML of the chat view. */
export function pageHtml({ texts, place, ...parts }: PageParts): string {
  const data = { texts, tab: place === 'tab' || undefined, 'beside-tab': place === 'besideTab' || undefined };
  return webviewPage({ ...parts, title: 'Millrace Chat', policy, data });
}
