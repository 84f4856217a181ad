import assert from 'node:assert/strict';
import { l10n } from '../../../src/shared/l10n.ts';

describe('l10n', () => {
  afterEach(() => l10n.useBundle({}));

  it('fills in the places and leaves those without a value', () => {
    assert.equal(l10n.t('{1} of {0}, {2}', 3, 'two'), 'two of 3, {2}');
    assert.equal(l10n.t('{0}', '{1}'), '{1}', 'a value is not read as a text');
  });

  it('translates what the bundle has; the rest stays English', () => {
    l10n.useBundle({ 'Run {0}': 'Lauf {0}' });
    assert.equal(l10n.t('Run {0}', 7), 'Lauf 7');
    assert.equal(l10n.t('Stop'), 'Stop');
    assert.equal(l10n.t('constructor'), 'constructor');
  });
});
