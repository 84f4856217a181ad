import assert from 'node:assert/strict';
import type * as texts from '../../../../src/chat/webview/strings.ts';
import { l10n } from '../../../../src/shared/l10n.ts';

/** The module read anew, in a page that has these texts. */
async function stringsOf(dataset: { texts?: string }, round: string): Promise<typeof texts.strings> {
  const page = globalThis as { document?: unknown };
  page.document = { body: { dataset } };
  try {
    const address = `../../../../src/chat/webview/strings.ts?${round}`;
    return ((await import(address)) as typeof texts).strings;
  } finally {
    delete page.document;
  }
}

describe('texts of the chat view', () => {
  afterEach(() => l10n.useBundle({}));

  it('are those that the host wrote into the page', async () => {
    const strings = await stringsOf(
      { texts: JSON.stringify({ Message: 'Nachricht', 'Remove {0}': '{0} entfernen' }) },
      'translated',
    );
    assert.deepEqual(
      [strings.prompt, strings.removeAttachment('a.py'), strings.you],
      ['Nachricht', 'a.py entfernen', 'You'],
    );
  });

  it('are English where the page has none', async () => {
    assert.equal((await stringsOf({}, 'english')).prompt, 'Message');
  });
});
