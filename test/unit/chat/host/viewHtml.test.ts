import assert from 'node:assert/strict';
import { standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { viewHtml } = await import('../../../../src/chat/host/viewHtml.ts');

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
});
