import { webviewPage, webviewPolicy, type WebviewPage } from '../shared/webviewPage.ts';

/** What the page of the chat view is made of. */
export interface PageParts extends Pick<WebviewPage, 'nonce' | 'scripts' | 'style' | 'language'> {
  /** Translated texts for the view to use as the host does; undefined if the editor speaks English. */
  readonly texts: Readonly<Record<string, unknown>> | undefined;
  /** It stands in a tab of the editor and has its ground. */
  readonly isTab?: boolean;
}

/** Code is coloured in a worker, from a text that the script itself holds. */
const policy = ['worker-src blob:', "img-src 'none'", "font-src 'none'", "connect-src 'none'"];

/** What the page may load and do: its own files and that worker. No images, no fonts, no connections, no inline code. */
export function pagePolicy(nonce: string): string {
  return webviewPolicy(nonce, policy);
}

/** The files that the page loads from `dist/webview`. */
export const pageFiles = { scripts: ['chat.js'], style: 'chat.css' } as const;

/** The page of the chat view. */
export function pageHtml({ texts, isTab, ...parts }: PageParts): string {
  return webviewPage({ ...parts, title: 'Millrace Chat', policy, data: { texts, tab: isTab || undefined } });
}
