import assert from 'node:assert/strict';
import { l10n } from '../../../src/shared/l10n.ts';

describe('l10n', () => {
  afterEach(() => l10n.useBundle({}));

  it('fills in the places and leaves those without a value', () => {
    assert.equal(l10n.t('{1} of {0}, {2}', 3, 'two'), 'two of 3, {2}');
    assert.equal(l10n.t('{0}', '{1}'), '{1}', 'a value is not read as a text');
    assert.equal(l10n.t('{0} {0} {2}', 0), '0 0 {2}');
    assert.equal(l10n.t('{0}'), '{0}');
    assert.equal(l10n.t('{10}{1}', ...'abcdefghijk'), 'kb');
  });

  it('translates what the bundle has; the rest stays English', () => {
    l10n.useBundle({ 'Run {0}': 'Lauf {0}' });
    assert.equal(l10n.t('Run {0}', 7), 'Lauf 7');
    assert.equal(l10n.t('Stop'), 'Stop');
    l10n.use((message, ...values) => `${message}/${values.join()}`);
    assert.equal(l10n.t('Run {0} {1}', 7, 8), 'Run {0} {1}/7,8');
    l10n.useBundle({ 'Run {0}': 'Lauf {0}' });
    assert.equal(l10n.t('constructor'), 'constructor');
  });
});
