// What markdown-it asks for the meaning of `&nbsp;`: a browser knows all of them, and the service has a table of those that people write.
import { decodeHTMLStrict as ofBrowser } from '../../src/chat/webview/markdown/entities.ts';
import { decodeHTMLStrict as ofTable } from '../../src/service/export/entityTable.ts';

export const decodeHTMLStrict = typeof document === 'undefined' ? ofTable : ofBrowser;
