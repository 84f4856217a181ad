import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { topics } from '../../../../../src/service/models/guide/topics.ts';
import { assertApproved } from '../../../../support/approved.ts';
import { root } from '../../../../support/paths.ts';
import { holdPhrases } from './phrases.ts';

const textOf = (file: string): string => readFileSync(path.join(root, file), 'utf8');
/** What the editor itself calls so, and the profile that is always there. */
const others = ['Keyboard Shortcuts', 'Local'];

describe('what the guide tells of the editor', () => {
  it('calls each command, view and button what it is called there', () => {
    const manifest = [...textOf('package.json').matchAll(/"(?:title|name)": "([^"]+)"/g)].map(
      ([, title = '']) => title,
    );
    const texts = Object.keys(JSON.parse(textOf('media/l10n/bundle.l10n.json')) as object);
    const known = new Set([...manifest, ...texts, ...others]);
    const named = topics.flatMap(({ id, text }) =>
      [...text.matchAll(/\*\*(?:Millrace: )?([^*]+)\*\*/g)].map(([, name = '']) => ({ id, name })),
    );
    assert.ok(named.length > 40);
    assert.deepEqual(
      named.filter(({ name }) => !known.has(name)),
      [],
    );
  });

  it('leads on to the fields and the example that were approved', () => {
    const lines = topics.map(
      ({ id, title, fields, example }) => `${id}: ${title} → ${[...fields, `[${example}]`].join(' ')}\n`,
    );
    assertApproved('guide-topic-fields', lines.join(''));
  });

  holdPhrases('topics', (phrase) => {
    const sure = topics.filter(({ match }) => match?.some((pattern) => pattern.test(phrase)));
    return sure.map(({ id }) => id).join(' ') || undefined;
  });
});
