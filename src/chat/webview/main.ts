import { ChatApp } from './chatApp.ts';
import { besideTab } from './emptyState.ts';
import { HostLink, type WebviewApi } from './hostLink.ts';

declare function acquireVsCodeApi(): WebviewApi;

const api = acquireVsCodeApi();
if (document.body.hasAttribute('data-beside-tab')) {
  const ignore = (): void => undefined;
  const link = new HostLink(api, ignore, ignore);
  document.body.append(besideTab(() => void link.request('takeRoom', { way: 'tab' })));
} else void new ChatApp(api).start();
