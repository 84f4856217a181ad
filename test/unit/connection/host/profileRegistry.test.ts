import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, memento, shownTexts, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { ProfileRegistry } = await import('../../../../src/connection/host/profileRegistry.ts');
const { ProfileStatus } = await import('../../../../src/connection/host/profileStatus.ts');
const { SignInQuestion } = await import('../../../../src/connection/host/signInQuestion.ts');
const { AppError } = await import('../../../../src/shared/errors.ts');

const one = { id: 'one', name: 'One', baseUrl: 'https://one.example.com', auth: 'bearer' };
const signedIn: Profile = { ...localProfile, id: 'one', name: 'One', kind: 'remote', baseUrl: one.baseUrl };
const two = { id: 'two', name: 'Two', baseUrl: 'https://two.example.com', auth: 'none' };

describe('the profiles of the settings', () => {
  holdTrail(import.meta.url);
  let workspaceState: ReturnType<typeof memento>;
  let globalState: ReturnType<typeof memento>;
  const open = () => new ProfileRegistry({ workspaceState, globalState } as never, silentLogger);
  const ids = (profiles: readonly Profile[]): string[] => profiles.map(({ id }) => id);
  beforeEach(async () => {
    editor.reset();
    [workspaceState, globalState] = [memento(), memento()];
    const written = open();
    for (const profile of [one, two])
      await written.save({
        ...localProfile,
        kind: 'remote',
        id: profile.id,
        name: profile.name,
        baseUrl: profile.baseUrl,
        authKind: profile.auth as Profile['authKind'],
      });
    written.dispose();
  });

  it("are the built-in one and the user's, never a workspace's", () => {
    assert.deepEqual(ids(open().profiles), ['local', 'one', 'two']);
    editor.workspaceSettings['millrace.profiles'] = [{ id: 'evil', name: 'Evil', baseUrl: 'https://evil.example.com' }];
    editor.workspaceSettings['millrace.defaultProfile'] = 'two';
    const registry = open();
    assert.deepEqual(ids(registry.profiles), ['local', 'one', 'two']);
    assert.equal(registry.current.id, 'local');
  });

  it('are remembered for each of the folders of a window', async () => {
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/a') }, { uri: standIn.Uri.file('/b') }];
    await open().choose('two');
    for (const name of ['/a', '/b']) {
      workspaceState = memento();
      standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file(name) }];
      assert.equal(open().current.id, 'two', name);
    }
    await open().choose('one');
    workspaceState = memento();
    assert.equal(open().current.id, 'one');
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/a') }];
    assert.equal(open().current.id, 'two', 'another folder keeps its own');
  });

  it('are written anew, and the settings that were read are left as they are', async () => {
    const given = structuredClone(editor.settings['millrace.profiles']) as object[];
    for (const each of [given, ...given]) Object.freeze(each);
    editor.settings['millrace.profiles'] = given;
    const registry = open();
    const known = registry.profiles.find(({ id }) => id === 'one') ?? assert.fail();
    await registry.save({ ...known, name: 'Uno' });
    assert.deepEqual(
      open().profiles.map(({ name }) => name),
      ['Local', 'Uno', 'Two'],
    );
    for (const each of editor.settings['millrace.profiles'] as object[]) Object.freeze(each);
    Object.freeze(editor.settings['millrace.profiles']);
    await registry.remove('two');
    assert.deepEqual(ids(open().profiles), ['local', 'one']);
  });

  it('are chosen by the window, else by its folder, else by the default', async () => {
    editor.settings['millrace.defaultProfile'] = 'Two';
    assert.equal(open().current.id, 'two');
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
    await open().choose('one');
    assert.equal(open().current.id, 'one');
    workspaceState = memento();
    assert.equal(open().current.id, 'one', 'the folder, in another window');
    workspaceState = memento({ profile: 'gone' });
    assert.equal(open().current.id, 'one');
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/other') }];
    assert.equal(open().current.id, 'two');
  });

  it('fire when another is chosen or a setting changes, and not where nothing is different', async () => {
    const registry = open();
    const fired: string[] = [];
    registry.onDidChange(({ name }) => fired.push(name));
    await registry.choose('one');
    await registry.choose('one');
    assert.deepEqual(fired, ['One']);
    registry.touch();
    assert.deepEqual(fired, ['One', 'One']);
    editor.settings['millrace.profiles'] = (editor.settings['millrace.profiles'] as { name: string }[]).map((entry) =>
      entry.name === 'One' ? { ...entry, name: 'Uno' } : entry,
    );
    editor.events.settings.fire({ affectsConfiguration: (name) => name === 'editor.fontSize' });
    assert.equal(fired.length, 2);
    editor.events.settings.fire({ affectsConfiguration: (name) => name === 'millrace.profiles' });
    assert.deepEqual(fired.slice(2), ['Uno']);
    registry.dispose();
    assert.equal(editor.events.settings.isHeard, false);
  });

  it('are saved in their place, beside entries that cannot be used', async () => {
    const kept = { name: 7 };
    (editor.settings['millrace.profiles'] as unknown[]).unshift(kept);
    const registry = open();
    const found = registry.profiles.find(({ id }) => id === 'one');
    assert.ok(found);
    await registry.save({ ...found, name: 'Uno' });
    assert.deepEqual(
      (editor.settings['millrace.profiles'] as { name: unknown }[]).map(({ name }) => name),
      [7, 'Uno', 'Two'],
    );
    await registry.remove('gone');
    await registry.remove('one');
    assert.deepEqual(
      (editor.settings['millrace.profiles'] as { name: unknown }[]).map(({ name }) => name),
      [7, 'Two'],
    );
  });

  it('leave no default that is not there, and no empty list', async () => {
    const registry = open();
    await registry.makeDefault({ ...localProfile, id: 'two' });
    assert.equal(editor.settings['millrace.defaultProfile'], 'two');
    await registry.remove('one');
    assert.equal(editor.settings['millrace.defaultProfile'], 'two');
    await registry.remove('two');
    assert.deepEqual(
      [editor.settings['millrace.defaultProfile'], editor.settings['millrace.profiles']],
      [undefined, undefined],
    );
    await registry.makeDefault(localProfile);
    assert.equal(editor.settings['millrace.defaultProfile'], undefined);
  });

  it('leave no default that names one by what it is called', async () => {
    editor.settings['millrace.defaultProfile'] = 'Two';
    await open().remove('one');
    assert.equal(editor.settings['millrace.defaultProfile'], 'Two');
    await open().remove('two');
    assert.equal(editor.settings['millrace.defaultProfile'], undefined);
  });

  it('are found by a default that is an id or a name, else it is said which one it is not', async () => {
    for (const wanted of ['two', 'Two', 'local']) {
      editor.shown.length = 0;
      editor.settings['millrace.defaultProfile'] = wanted;
      assert.deepEqual([open().default.id, shownTexts()], [wanted.toLowerCase(), []]);
    }
    editor.settings['millrace.defaultProfile'] = 'nobody';
    const warned: string[] = [];
    const registry = new ProfileRegistry({ workspaceState, globalState } as never, {
      ...silentLogger,
      warn: (text) => void warned.push(text),
    });
    const text =
      'millrace.defaultProfile names no profile: "nobody". Windows without a choice of their own use "Local".';
    assert.deepEqual(
      [registry.default.id, shownTexts(), warned],
      ['local', [`warning: ${text} [Open Settings]`], [text]],
    );
    await nextTurn();
    assert.deepEqual(editor.executed, [], 'nobody pressed it');
    // Set right, and wrong again: that is told anew.
    for (const wanted of ['two', 'nobody']) {
      editor.settings['millrace.defaultProfile'] = wanted;
      editor.events.settings.fire({ affectsConfiguration: (name) => name === 'millrace.defaultProfile' });
    }
    assert.equal(warned.length, 2);
  });

  it('say once what cannot be used, and open the settings', async () => {
    editor.shown.length = 0;
    editor.answer = ({ actions }) => actions[0];
    editor.settings['millrace.defaultProfile'] = 'nobody';
    editor.settings['millrace.profiles'] = [{ name: 7 }];
    const registry = open();
    editor.events.settings.fire({ affectsConfiguration: () => true });
    await nextTurn();
    assert.equal(shownTexts().length, 1);
    assert.match(
      shownTexts()[0] ?? '',
      /^warning: .*The log of Millrace has \d more of this kind\. \[Open Settings\]$/,
    );
    assert.deepEqual(editor.executed, [['workbench.action.openSettingsJson']]);
    assert.equal(registry.current.id, 'local');
  });
});

describe('the profile in the status bar', () => {
  holdTrail(import.meta.url, '-2');
  const profile: Profile = { ...signedIn, name: 'One $(x)' };
  const drawn = (current: Profile, ...signIn: ('fine' | 'missing' | 'refused')[]) => {
    editor.reset();
    let listener = (): void => undefined;
    const status = new ProfileStatus({
      current,
      onDidChange: (given: () => void) => ((listener = given), { dispose: () => undefined }),
    } as never);
    for (const state of signIn) status.setSignIn('one', state);
    void listener;
    return editor.statusItem as {
      text: string;
      tooltip: string;
      command: unknown;
      backgroundColor?: { id: string };
      isShown: boolean;
      accessibilityInformation: { label: string };
    };
  };

  it('says what is special in words and in colour', () => {
    assert.deepEqual(
      [drawn(localProfile).text, drawn(localProfile).backgroundColor, drawn(localProfile).isShown],
      ['$(vm) Millrace: Local', undefined, true],
    );
    assert.equal(drawn(profile).text, '$(plug) Millrace: One $ (x)');
    const production = drawn({ ...profile, production: true });
    assert.deepEqual(
      [production.text, production.backgroundColor?.id],
      ['$(warning) PRODUCTION: One $ (x)', 'statusBarItem.errorBackground'],
    );
    assert.match(production.accessibilityInformation.label, /Production: every change is confirmed/);
    assert.match(production.tooltip, /https:\/\/one.example.com/);
    const readOnly = drawn({ ...profile, readOnly: true });
    assert.match(readOnly.text, /\$\(lock\) read-only$/);
    assert.match(readOnly.tooltip, /changes are refused/);
    assert.equal(readOnly.command, 'millrace.profile.choose');
  });

  it('says that the sign-in does not work, and mends it on a click', () => {
    const refused = drawn(profile, 'refused');
    assert.deepEqual(
      [refused.text, refused.backgroundColor?.id],
      ['$(key) Millrace: One $ (x) · sign in again', 'statusBarItem.warningBackground'],
    );
    assert.deepEqual(refused.command, { command: 'millrace.profile.signIn', title: 'Sign In', arguments: ['one'] });
    assert.match(refused.tooltip, /Click to sign in again/);
    const without = drawn({ ...profile, authKind: 'none' }, 'refused');
    assert.match(without.text, /needs a sign-in$/);
    assert.equal((without.command as { command: string }).command, 'millrace.profile.edit');
    assert.match(without.tooltip, /Click to edit the profile/);
    const both = drawn({ ...profile, production: true, readOnly: true }, 'refused');
    assert.deepEqual(
      [both.text, both.backgroundColor?.id],
      ['$(key) PRODUCTION: One $ (x) · $(lock) read-only · sign in again', 'statusBarItem.errorBackground'],
    );
    assert.match(refused.accessibilityInformation.label, /^Millrace profile One \$\(x\), /);
    assert.equal(drawn(profile, 'refused', 'fine').text, '$(plug) Millrace: One $ (x)');
    assert.equal(drawn({ ...profile, id: 'other' }, 'refused').text, '$(plug) Millrace: One $ (x)');
  });
});

describe('the question for a new sign-in', () => {
  holdTrail(import.meta.url, '-3');
  const profile = signedIn;
  const refusal = new AppError('unauthenticated', 'No.', { status: 401 });
  let states: string[];
  let question: InstanceType<typeof SignInQuestion>;
  beforeEach(() => {
    editor.reset();
    states = [];
    question = new SignInQuestion(
      { setSignIn: (_id: string, state: string) => states.push(state) } as never,
      silentLogger,
    );
  });

  it('is put once, however many calls are refused, and again after a new sign-in', () => {
    question.ask(profile, refusal);
    question.ask(profile, refusal);
    question.accepted(profile);
    assert.deepEqual([editor.shown.length, states], [1, ['refused', 'refused', 'fine']]);
    question.settled('one');
    question.ask(profile, refusal);
    assert.deepEqual([editor.shown.length, states.slice(3)], [2, ['fine', 'refused']]);
  });

  for (const [authKind, index, command] of [
    ['bearer', 0, 'millrace.profile.signIn'],
    ['none', 0, 'millrace.profile.edit'],
    ['bearer', 1, 'millrace.profile.diagnose'],
  ] as const) {
    it(`leads a profile of the kind ${authKind} to ${command}`, async () => {
      editor.answer = ({ actions }) => actions[index];
      question.ask({ ...profile, authKind }, refusal);
      await nextTurn();
      assert.deepEqual(editor.executed, [[command, 'one']]);
    });
  }

  it('does nothing where it is not answered', async () => {
    question.ask(profile, refusal);
    await nextTurn();
    assert.deepEqual([editor.executed, editor.shown[0]?.kind], [[], 'warning']);
  });
});
