import fs from 'node:fs';
import path from 'node:path';
import { assertApproved } from '../../../../support/approved.ts';
import { root } from '../../../../support/paths.ts';

/** Ways of saying something, one a line of test/fixtures/guide-phrases; whole sentences and the parts that they are recognized by. */
function phrasesOf(name: string): string[] {
  const file = path.join(root, 'test', 'fixtures', 'guide-phrases', `${name}.txt`);
  return fs.readFileSync(file, 'utf8').trimEnd().split('\n');
}

/** Holds what is made of each of the phrases as it was approved. @param told of a phrase; undefined if it says nothing */
export function holdPhrases(name: string, told: (phrase: string) => string | undefined, approved = name): void {
  it('knows each way of saying it, as it was approved', () => {
    const lines = phrasesOf(name).map((phrase) => `${phrase} → ${told(phrase) ?? '-'}\n`);
    assertApproved(`guide-phrases-${approved}`, lines.join(''));
  });
}
