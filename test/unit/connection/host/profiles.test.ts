import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import type { ProfileServices } from '../../../../src/connection/host/profileServices.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, memento, shownTexts, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';
import { reply, startServer, type TestServer, workspace } from '../testServer.ts';

const { profileCommands } = await import('../../../../src/connection/host/profileCommands.ts');

const { ProfileRegistry } = await import('../../../../src/connection/host/profileRegistry.ts');

const { ProfileStatus } = await import('../../../../src/connection/host/profileStatus.ts');

const { SignInQuestion } = await import('../../../../src/connection/host/signInQuestion.ts');

const { AppError } = await import('../../../../src/shared/errors.ts');

interface Item {
  label: string;
  description?: string;
  detail?: string;
  buttons?: { iconPath: { id: string }; tooltip: string }[];
}

describe('the profile commands', () => {
  let server: TestServer;
  let done: unknown[][];
  let current: Profile;
  let standard: Profile;
  let profiles: Profile[];
  let services: ProfileServices;
  const note =
    (name: string) =>
    (...args: unknown[]): void =>
      void done.push([name, ...args.map((arg) => (arg as Profile | undefined)?.id ?? arg)]);

  beforeEach(async () => {
    editor.reset();
    server = await startServer(workspace('right'));
    const remote: Profile = {
      ...localProfile,
      id: 'r',
      name: 'Remote',
      kind: 'remote',
      baseUrl: server.url,
      authKind: 'bearer',
    };
    profiles = [localProfile, remote, { ...remote, id: 'p', name: 'Prod', production: true, readOnly: true }];
    [current, standard, done] = [remote, localProfile, []];
    services = {
      log: { ...silentLogger, error: note('log') },
      registry: {
        profiles,
        get current() {
          return current;
        },
        get default() {
          return standard;
        },
        choose: async (id: string) =>
          void (done.push(['choose', id]), (current = profiles.find((each) => each.id === id) ?? current)),
        makeDefault: async (profile: Profile) => void (standard = profile),
        remove: async (id: string) => note('remove')(id),
        touch: note('touch'),
        save: async (profile: Profile) => void done.push(['save', profile.id, profile.readOnly]),
      },
      vault: {
        get: async () => undefined,
        forget: async (id: string) => note('forgetSecret')(id),
        store: async (profile: Profile, secret: string) => note('store')(profile, secret),
      },
      question: { settled: note('settled') },
      connector: async () => ({ forget: note('forget') }),
    } as unknown as ProfileServices;
  });
  afterEach(() => server.close());

  const box = async (): Promise<(typeof editor.boxes)[number]> => {
    await eventually(() => assert.equal(editor.boxes.at(-1)?.isShown, true));
    return editor.boxes.at(-1) as (typeof editor.boxes)[number];
  };
  const itemsOf = (pick: object): Item[] => (pick as { items: Item[] }).items;

  it('list every profile with its marks', async () => {
    const chosen = profileCommands.choose(services, undefined);
    const pick = await box();
    assert.deepEqual(
      itemsOf(pick).map(({ label, description, detail, buttons = [] }) => [
        label,
        description,
        detail,
        buttons.map(({ iconPath }) => iconPath.id).join(),
      ]),
      [
        ['$(vm) Local', '', 'the local service on this machine', 'star-full'],
        ['$(plug) Remote', 'current', server.url, 'star-empty,edit'],
        ['$(warning) Prod', 'PRODUCTION · read-only', server.url, 'star-empty,edit'],
        ['', undefined, undefined, ''],
        ['$(add) Add Profile…', undefined, undefined, ''],
        ['$(key) Sign In Again…', undefined, undefined, ''],
        ['$(pulse) Diagnose Connection', undefined, undefined, ''],
      ],
    );
    assert.deepEqual(
      [pick['title'], pick['matchOnDescription'], (pick['activeItems'] as Item[]).map(({ label }) => label)],
      ['Millrace Profile', true, ['$(plug) Remote']],
    );
    pick['selectedItems'] = [itemsOf(pick)[2]];
    pick.events.accept.fire(undefined as never);
    await chosen;
    assert.deepEqual(
      [done, pick.isDisposed],
      [
        [
          ['forget', 'p'],
          ['choose', 'p'],
        ],
        true,
      ],
    );
  });

  it('switch to a named profile at once', async () => {
    await profileCommands.choose(services, 'r');
    assert.deepEqual([done, editor.boxes.length], [[['forget', 'r'], ['choose', 'r'], ['touch']], 0]);
    const left = profileCommands.choose(services, 'unknown');
    (await box()).events.hide.fire(undefined as never);
    await left;
    assert.equal(done.length, 3);
  });

  it('turn off read-only after one question', async () => {
    current = profiles[2] ?? current;
    editor.answer = ({ actions }) => actions[0];
    const chosen = profileCommands.choose(services, undefined);
    const pick = await box();
    pick['selectedItems'] = itemsOf(pick).filter(({ label }) => label.includes('Read-Only'));
    pick.events.accept.fire(undefined as never);
    await chosen;
    assert.deepEqual(done, [['save', 'p', false]]);
    assert.match(shownTexts()[0] ?? '', /\[Allow Changes on Prod\]$/);
  });

  it('remove a profile with its secret after a confirmation', async () => {
    await profileCommands.remove(services, 'r');
    assert.deepEqual([done, shownTexts()], [[], ['warning: Remove the profile "Remote"? [Remove]']]);
    assert.deepEqual(editor.shown[0]?.options, {
      modal: true,
      detail: `Its sign-in is deleted from this machine. Nothing changes at ${server.url}.`,
    });
    editor.answer = ({ actions }) => actions[0];
    editor.pick = (items) => items[1];
    await profileCommands.remove(services, localProfile.id);
    assert.deepEqual(done, [
      ['forgetSecret', 'p'],
      ['remove', 'p'],
      ['settled', 'p'],
      ['forget', 'p'],
    ]);
    assert.deepEqual(editor.asked, [{ title: 'Remove Profile', placeHolder: 'Choose a profile', matchOnDetail: true }]);
  });

  it('sign in with an accepted secret and store it', async () => {
    const signed = profileCommands.signIn(services, undefined);
    const input = await box();
    assert.deepEqual([input['title'], input['password']], ['Sign In to "Remote"', true]);
    const enter = async (value: string): Promise<string> => {
      input['value'] = value;
      input.events.accept.fire(undefined as never);
      await eventually(() => assert.equal(input['busy'], false));
      return (input['validationMessage'] as { message?: string } | undefined)?.message ?? '';
    };
    assert.match(await enter('  '), /Enter a new one, or press Escape to keep the stored one\./);
    assert.notEqual(await enter('wrong'), '');
    assert.doesNotMatch(await enter('wrong'), /Press Enter again/);
    input['value'] = ' right ';
    input.events.accept.fire(undefined as never);
    await signed;
    assert.deepEqual(done, [['store', 'r', 'right'], ['settled', 'r'], ['forget', 'r'], ['touch']]);
    assert.deepEqual(shownTexts(), ['information: Signed in to "Remote".']);
  });

  it('keep an untested secret only after it is entered twice', async () => {
    await server.close();
    server = await startServer((_request, response) =>
      reply(response, 503, { error_code: 'TEMPORARILY_UNAVAILABLE', message: 'Later.' }),
    );
    profiles[1] = { ...(profiles[1] as Profile), baseUrl: server.url };
    const signed = profileCommands.signIn(services, 'r');
    const input = await box();
    input['value'] = 'new';
    input.events.accept.fire(undefined as never);
    await eventually(() =>
      assert.match(
        (input['validationMessage'] as { message: string } | undefined)?.message ?? '',
        /Press Enter again to use it anyway\./,
      ),
    );
    input.events.accept.fire(undefined as never);
    await signed;
    assert.deepEqual(done[0], ['store', 'r', 'new']);
  });

  it('run a token command again only in a trusted workspace', async () => {
    profiles[1] = { ...(profiles[1] as Profile), authKind: 'command', command: 'echo right' };
    standIn.workspace.isTrusted = false;
    await assert.rejects(
      profileCommands.signIn(services, 'r'),
      /signs in with a command, which does not run while the workspace is not trusted/,
    );
    standIn.workspace.isTrusted = true;
    done = [];
    await profileCommands.signIn(services, 'r');
    assert.deepEqual(done, [['forget', 'r'], ['settled', 'r'], ['forget', 'r'], ['touch']]);
    assert.equal(editor.progress.at(-1)?.options['title'], 'Sign In to "Remote"');
    profiles[1] = { ...profiles[1], command: 'echo wrong' };
    await assert.rejects(profileCommands.signIn(services, 'r'));
  });
});

const one = { id: 'one', name: 'One', baseUrl: 'https://one.example.com', auth: 'bearer' };

const signedIn: Profile = { ...localProfile, id: 'one', name: 'One', kind: 'remote', baseUrl: one.baseUrl };

const two = { id: 'two', name: 'Two', baseUrl: 'https://two.example.com', auth: 'none' };

describe('the profiles in the settings', () => {
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

  it('come from the user and never from a workspace', () => {
    assert.deepEqual(ids(open().profiles), ['local', 'one', 'two']);
    editor.workspaceSettings['millrace.profiles'] = [{ id: 'evil', name: 'Evil', baseUrl: 'https://evil.example.com' }];
    editor.workspaceSettings['millrace.defaultProfile'] = 'two';
    const registry = open();
    assert.deepEqual(ids(registry.profiles), ['local', 'one', 'two']);
    assert.equal(registry.current.id, 'local');
  });

  it('are selected by window, then folder, then default', async () => {
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

  it('report a switch or a change, and nothing else', async () => {
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

  it('are saved in place beside unusable entries', async () => {
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

  it('report unusable entries once', async () => {
    editor.shown.length = 0;
    editor.answer = ({ actions }) => actions[0];
    editor.settings['millrace.defaultProfile'] = 'nobody';
    editor.settings['millrace.profiles'] = [{ name: 7 }];
    const registry = open();
    editor.events.settings.fire({ affectsConfiguration: () => true });
    await nextTurn();
    assert.equal(shownTexts().length, 1);
    assert.match(shownTexts()[0] ?? '', /^warning: .*The Millrace log has \d more of this kind\. \[Open Settings\]$/);
    assert.deepEqual(editor.executed, [['workbench.action.openSettingsJson']]);
    assert.equal(registry.current.id, 'local');
  });
});

describe('the profile in the status bar', () => {
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

  it('shows a refused sign-in and repairs it on click', () => {
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

describe('the prompt for a new sign-in', () => {
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

  it('appears once for many refused calls, and again after a new sign-in', () => {
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
});
