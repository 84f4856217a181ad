import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { topics } from '../../../../../src/service/models/guide/topics.ts';
import { root } from '../../../../support/paths.ts';

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
});
