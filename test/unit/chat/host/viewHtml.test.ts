import assert from 'node:assert/strict';
import { pageFiles } from '../../../../src/chat/chatPage.ts';
import { standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { viewHtml, webviewOptions } = await import('../../../../src/chat/host/chatHost.ts');

describe("the document of the chat's page", () => {
  const html = (): string =>
    viewHtml({ asWebviewUri: (uri: unknown) => uri } as never, standIn.Uri.file('/extension') as never);
  const { env, l10n } = standIn as unknown as { env: { language: string }; l10n: { bundle?: object } };
  const [language, bundle] = [env.language, l10n.bundle];
  afterEach(() => {
    env.language = language;
    l10n.bundle = bundle;
  });

  it('is in the language of its texts: English where there is no translation', () => {
    env.language = 'de';
    assert.match(html(), /<html lang="en"/);
    l10n.bundle = { Send: 'Senden' };
    assert.match(html(), /<html lang="de"/);
  });

  it('has a nonce of its own each time', () => {
    const nonces = [html(), html()].map((page) => /nonce="([^"]+)"/.exec(page)?.[1]);
    assert.ok((nonces[0]?.length ?? 0) >= 32);
    assert.notEqual(nonces[0], nonces[1]);
  });

  it('loads its own files, as the webview addresses them, and can do nothing else with the editor', () => {
    const extension = standIn.Uri.file('/extension') as never;
    const { localResourceRoots, ...options } = webviewOptions(extension);
    assert.deepEqual(
      [options, localResourceRoots?.map(String)],
      [{ enableScripts: true, enableForms: false, enableCommandUris: false }, ['file:///extension/dist/webview']],
    );
    const asWebviewUri = (uri: standIn.Uri): standIn.Uri => uri.with({ scheme: 'https', authority: 'view' });
    const page = viewHtml({ asWebviewUri } as never, extension);
    const loaded = [...page.matchAll(/(?:src|href)="(https:[^"]+)"/g)].map(([, address]) => address);
    const own = [...pageFiles.scripts, pageFiles.style].map((name) => `https://view/extension/dist/webview/${name}`);
    assert.deepEqual(new Set(loaded), new Set(own));
  });

  it('hands on the translated texts, and says whether it stands in a tab', () => {
    assert.doesNotMatch(html(), /data-tab|Senden/);
    l10n.bundle = { Send: 'Senden' };
    const inTab = viewHtml({ asWebviewUri: (uri: unknown) => uri } as never, standIn.Uri.file('/x') as never, true);
    assert.match(inTab, /<body[^>]* data-tab=/);
    assert.match(inTab, /Senden/);
  });
});
