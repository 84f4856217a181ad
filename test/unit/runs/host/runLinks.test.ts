import assert from 'node:assert/strict';
import { localProfile } from '../../../../src/connection/connection.ts';
import { staging } from '../../../support/editorStandIn/connections.ts';
import { editor, shownTexts } from '../../../support/editorStandIn/editorStandIn.ts';

const { RunLinks } = await import('../../../../src/runs/host/runLinks.ts');

describe('a link from outside', () => {
  beforeEach(() => editor.reset());

  const open = async (query: string, path = '/run'): Promise<void> =>
    new RunLinks({ current: localProfile, profiles: [localProfile, staging] }).handleUri({ path, query } as never);

  it('opens the run once the user has said so, and changes the profile where it must', async () => {
    editor.answer = ({ actions }) => actions[0];
    await open('profile=local&run_id=5');
    const target = { profileId: 'local', runId: '5' };
    assert.deepEqual(editor.executed, [['millrace.openRun', target]]);
    assert.deepEqual(shownTexts(), ['information: Open run 5 of "Local"? [Open]']);
    assert.deepEqual(
      [editor.shown[0]?.options?.modal, /changes to/.test(editor.shown[0]?.options?.detail ?? '')],
      [true, false],
    );
    await open('profile=staging&run_id=6');
    assert.match(editor.shown[1]?.options?.detail ?? '', /changes to the profile/);
    assert.deepEqual(editor.executed.slice(1), [
      ['millrace.profile.choose', 'staging'],
      ['millrace.openRun', { profileId: 'staging', runId: '6' }],
    ]);
  });

  it('does nothing where the user does not say so', async () => {
    await open('profile=staging&run_id=6');
    assert.equal(editor.shown.length, 1);
    assert.deepEqual(editor.executed, []);
  });

  it('says what is wrong with it, without links of its own', async () => {
    editor.answer = ({ actions }) => actions[0];
    await open('profile=gone](command:x)&run_id=5');
    await open('profile=local');
    await open('profile=local&run_id=5', '/delete');
    assert.match(shownTexts()[0] ?? '', /profile "gone] \(command:x\)", which does not exist/);
    assert.match(shownTexts()[1] ?? '', /names no run/);
    assert.equal(shownTexts().length, 3);
    assert.deepEqual(editor.executed, []);
  });
});
