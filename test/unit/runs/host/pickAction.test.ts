import assert from 'node:assert/strict';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { pickAction } = await import('../../../../src/runs/host/runPages.ts');

describe('the actions of a page that have no button', () => {
  holdTrail(import.meta.url);
  const more = [
    { id: 'text', label: 'As Text' },
    { id: 'curl', label: 'Copy as curl' },
  ];
  beforeEach(() => editor.reset());

  it('are asked for, and one that was not chosen is none', async () => {
    const offered: unknown[] = [];
    editor.pick = (items) => (offered.push(...items), items[1]);
    assert.deepEqual(await pickAction({ type: 'action', id: 'more' }, more), { type: 'action', id: 'curl' });
    assert.deepEqual(offered, more);
    editor.pick = () => undefined;
    assert.deepEqual(await pickAction({ type: 'action', id: 'more' }, more), { type: 'action', id: '' });
  });

  it('are not asked for by anything else', async () => {
    editor.pick = () => assert.fail('Nobody is to be asked.');
    for (const message of [{ type: 'action', id: 'text' }, { type: 'ready' }, { type: 'taken' }] as const)
      assert.equal(await pickAction(message, more), message);
  });
});
