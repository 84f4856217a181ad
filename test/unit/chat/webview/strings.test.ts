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

  it('say what they are given, and tell one from several', async () => {
    const strings = await stringsOf({}, 'sentences');
    const several = Object.entries(strings).flatMap(([name, text]) => {
      if (typeof text !== 'function') return [];
      const say = text as (...given: (string | number)[]) => string;
      const plain = say('<a>', '<b>', '<c>');
      assert.deepEqual(
        [say.length, ['<a>', '<b>', '<c>'].filter((given) => plain.includes(given)).length],
        [say.length, say.length],
        name,
      );
      return say.length === 1 && say(1) !== plain.replace('<a>', '1') ? [[say(1), say(2), say(0)]] : [];
    });
    assert.deepEqual(several, [
      ['Show 1 earlier message', 'Show 2 earlier messages', 'Show 0 earlier messages'],
      ['1 item', '2 items', '0 items'],
      ['1 key', '2 keys', '0 keys'],
    ]);
    assert.deepEqual(
      [strings.between(1, 2), strings.betweenAbove(1, 2), strings.variantOf(1, 2), strings.choiceOf(1, 2)],
      ['1 to 2', 'over 1 to 2', '1/2', 'Alternative 1 of 2'],
    );
    assert.deepEqual(
      [strings.usage('1', '2', '3'), strings.minutes('1', '2'), strings.findCount(1, '2'), strings.waiting('a', '2 s')],
      ['1 in · 2 out · 3 tokens', '1 min 2 s', '1 of 2', 'Waiting for a, 2 s'],
    );
  });
});
