import assert from 'node:assert/strict';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import type { ProfileServices } from '../../../../src/connection/host/profileServices.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, shownTexts, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';
import { holdTrail } from '../../../support/trail.ts';
import { reply, startServer, workspace, type TestServer } from '../testServer.ts';

const { profileCommands } = await import('../../../../src/connection/host/profileCommands.ts');

interface Item {
  label: string;
  description?: string;
  detail?: string;
  buttons?: { iconPath: { id: string }; tooltip: string }[];
}

describe('the commands for profiles', () => {
  holdTrail(import.meta.url);
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

  it('offer every profile with its marks, and what else can be done', async () => {
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

  it('offer what can be changed with the marks that each has', async () => {
    profiles[1] = { ...(profiles[1] as Profile), readOnly: true };
    const offered: string[][] = [];
    editor.pick = (items) =>
      void offered.push(...(items as Item[]).map((item) => [item.label, item.description ?? '']));
    await profileCommands.remove(services, undefined);
    assert.deepEqual(offered, [
      ['$(plug) Remote', 'read-only · current'],
      ['$(warning) Prod', 'PRODUCTION · read-only'],
    ]);
    assert.deepEqual(done, []);
  });

  it('choose at once what is named, and ask anew where it is the current one', async () => {
    await profileCommands.choose(services, 'r');
    assert.deepEqual([done, editor.boxes.length], [[['forget', 'r'], ['choose', 'r'], ['touch']], 0]);
    const left = profileCommands.choose(services, 'unknown');
    (await box()).events.hide.fire(undefined as never);
    await left;
    assert.equal(done.length, 3);
  });

  it('make a profile the one of new windows, and edit one, from the list', async () => {
    const chosen = profileCommands.choose(services, undefined);
    const pick = await box();
    const press = (item: number, button: number): void =>
      pick.events.itemButton.fire({
        item: itemsOf(pick)[item],
        button: itemsOf(pick)[item]?.buttons?.[button],
      } as never);
    press(2, 0);
    await eventually(() => assert.equal(itemsOf(pick)[2]?.buttons?.[0]?.iconPath.id, 'star-full'));
    assert.equal(itemsOf(pick)[0]?.buttons?.[0]?.iconPath.id, 'star-empty');
    services.registry.makeDefault = async () => Promise.reject(new Error('Settings cannot be written.'));
    press(1, 0);
    await eventually(() => assert.deepEqual(done, [['log', 'Error: Settings cannot be written.']]));
    press(1, 1);
    await eventually(() => assert.equal(editor.boxes.length, 2));
    assert.match(String((await box())['title']), /Remote/);
    editor.boxes.at(-1)?.events.hide.fire(undefined as never);
    await chosen;
    assert.equal(done.length, 1, 'nothing was saved');
  });

  it('put what was edited in use at once: nothing of the connection and the refusals before is kept', async () => {
    services.registry.save = async (profile) => note('save')(profile);
    const edited = profileCommands.edit(services, 'r');
    const answer = async (choice?: string): Promise<void> => {
      const shown = await box();
      if (choice !== undefined)
        shown['selectedItems'] = (shown['items'] as { value: string }[]).filter(({ value }) => value === choice);
      await eventually(() => assert.notEqual(shown['busy'], true));
      shown.events.accept.fire(undefined as never);
      await eventually(() => assert.ok(shown.isDisposed));
    };
    await answer();
    await answer('bearer');
    (await box())['value'] = 'right';
    await answer();
    await answer();
    await answer();
    await edited;
    assert.deepEqual(done[0], ['store', 'r', 'right']);
    assert.deepEqual(done.slice(-3), [['settled', 'r'], ['forget', 'r'], ['touch']]);
    assert.ok(done.some(([what, id]) => what === 'save' && id === 'r'));
  });

  it('offer no new sign-in for a profile without one', async () => {
    current = localProfile;
    void profileCommands.choose(services, undefined);
    assert.deepEqual(
      itemsOf(await box())
        .slice(4)
        .map(({ label }) => label),
      ['$(add) Add Profile…', '$(pulse) Diagnose Connection'],
    );
    current = { ...(profiles[1] as Profile), authKind: 'none' };
    void profileCommands.choose(services, undefined);
    assert.equal(itemsOf(await box()).length, 6);
  });

  it('lead from the list to a new profile, a new sign-in and the diagnosis of the current one', async () => {
    const take = async (label: string): Promise<void> => {
      const count = editor.boxes.length;
      const chosen = profileCommands.choose(services, undefined);
      await eventually(() => assert.equal(editor.boxes.length, count + 1));
      const pick = await box();
      pick['selectedItems'] = itemsOf(pick).filter((item) => item.label.endsWith(label));
      pick.events.accept.fire(undefined as never);
      if (label !== 'Diagnose Connection') {
        await eventually(() => assert.equal(editor.boxes.length, count + 2));
        const next = await box();
        assert.equal(pick.isDisposed, true);
        titles.push(String(next['title']));
        next.events.hide.fire(undefined as never);
      }
      await chosen;
    };
    const titles: string[] = [];
    await take('Add Profile…');
    await take('Sign In Again…');
    assert.match(titles.join(' | '), /^Add Profile.* \| Sign In to "Remote"$/);
    Object.assign(services, {
      context: { extension: { packageJSON: { version: '9.9.9' } } },
      connector: async () => ({
        forget: note('forget'),
        connect: () => Promise.reject(new Error('It cannot be reached.')),
      }),
    });
    await take('Diagnose Connection');
    const [document] = editor.opened as { content: string }[];
    assert.match(document?.content ?? '', /Remote/);
    assert.equal(
      done.some(([name]) => name === 'choose'),
      false,
    );
  });

  it('remove a profile with its secret, once that is confirmed', async () => {
    await profileCommands.remove(services, 'r');
    assert.deepEqual([done, shownTexts()], [[], ['warning: Remove the profile "Remote"? [Remove]']]);
    assert.deepEqual(editor.shown[0]?.options, {
      modal: true,
      detail: `Its sign-in is removed from this machine. Nothing changes at ${server.url}.`,
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

  it('do nothing where no profile is chosen', async () => {
    editor.pick = () => undefined;
    await profileCommands.remove(services, undefined);
    await profileCommands.edit(services, undefined);
    profiles[1] = { ...(profiles[1] as Profile), id: 'other' };
    // What was current when it was asked for.
    await profileCommands.signIn(services, localProfile.id);
    assert.deepEqual([done, editor.shown, editor.boxes], [[], [], []]);
    assert.deepEqual(
      (editor.asked as { title?: string }[]).map(({ title }) => title),
      ['Remove Profile', 'Edit Profile', 'Sign In to Profile'],
    );
  });

  it('say that there is nothing to change where there is only the built-in profile', async () => {
    profiles.length = 1;
    await profileCommands.remove(services, undefined);
    assert.deepEqual(shownTexts(), [
      'information: There is only the built-in profile "Local", which needs no sign-in and cannot be changed. [Add Profile]',
    ]);
    assert.equal(editor.boxes.length, 0);
    editor.answer = ({ actions }) => actions[0];
    const added = profileCommands.edit(services, undefined);
    (await box()).events.hide.fire(undefined as never);
    await added;
    assert.deepEqual(done, []);
  });

  it('sign in with a secret that the service takes, and keep it', async () => {
    const signed = profileCommands.signIn(services, undefined);
    const input = await box();
    assert.deepEqual([input['title'], input['password']], ['Sign In to "Remote"', true]);
    const enter = async (value: string): Promise<string> => {
      input['value'] = value;
      input.events.accept.fire(undefined as never);
      await eventually(() => assert.equal(input['busy'], false));
      return (input['validationMessage'] as { message?: string } | undefined)?.message ?? '';
    };
    assert.match(await enter('  '), /Enter the new one, or press Escape to keep what is stored\./);
    assert.notEqual(await enter('wrong'), '');
    assert.doesNotMatch(await enter('wrong'), /Press Enter again/);
    input['value'] = ' right ';
    input.events.accept.fire(undefined as never);
    await signed;
    assert.deepEqual(done, [['store', 'r', 'right'], ['settled', 'r'], ['forget', 'r'], ['touch']]);
    assert.deepEqual(shownTexts(), ['information: Signed in to "Remote".']);
  });

  it('keep a secret that cannot be tried now only where it is entered twice', async () => {
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
        /Press Enter again to use it all the same\./,
      ),
    );
    input.events.accept.fire(undefined as never);
    await signed;
    assert.deepEqual(done[0], ['store', 'r', 'new']);
  });

  it('keep what is stored where the sign-in is left', async () => {
    const signed = profileCommands.signIn(services, 'r');
    (await box()).events.hide.fire(undefined as never);
    await signed;
    assert.deepEqual([done, editor.shown], [[], []]);
  });

  it('lead to the profile itself where it has no sign-in', async () => {
    profiles[1] = { ...(profiles[1] as Profile), authKind: 'none' };
    await profileCommands.signIn(services, 'r');
    assert.deepEqual(shownTexts(), [
      'information: The profile "Remote" has no sign-in. Edit it to give it one. [Edit Profile]',
    ]);
    assert.equal(editor.boxes.length, 0);
    editor.answer = ({ actions }) => actions[0];
    const edited = profileCommands.signIn(services, 'r');
    (await box()).events.hide.fire(undefined as never);
    await edited;
  });

  it('run the command of a profile anew, and never while the workspace is not trusted', async () => {
    profiles[1] = { ...(profiles[1] as Profile), authKind: 'command', command: 'echo right' };
    standIn.workspace.isTrusted = false;
    await assert.rejects(
      profileCommands.signIn(services, 'r'),
      /signs in by running a command, which is not done while the workspace is not trusted/,
    );
    standIn.workspace.isTrusted = true;
    done = [];
    await profileCommands.signIn(services, 'r');
    assert.deepEqual(done, [['forget', 'r'], ['settled', 'r'], ['forget', 'r'], ['touch']]);
    assert.equal(editor.progress.at(-1)?.options['title'], 'Sign In to "Remote"');
    profiles[1] = { ...profiles[1], command: 'echo wrong' };
    await assert.rejects(profileCommands.signIn(services, 'r'));
  });

  it('sign in to a profile that is not in use without another look at what is, with the blanks of a password', async () => {
    const expected = `Basic ${Buffer.from('me: right ').toString('base64')}`;
    await server.close();
    server = await startServer((request, response, body) => {
      if (request.headers.authorization === expected) request.headers.authorization = 'Bearer right';
      workspace('right')(request, response, body);
    });
    profiles[2] = { ...(profiles[2] as Profile), baseUrl: server.url, authKind: 'basic', userName: 'me' };
    const signed = profileCommands.signIn(services, 'p');
    const input = await box();
    input['value'] = ' right ';
    input.events.accept.fire(undefined as never);
    await signed;
    assert.deepEqual(done, [
      ['store', 'p', ' right '],
      ['settled', 'p'],
      ['forget', 'p'],
    ]);
  });

  it('stop asking the service when the sign-in is left', async () => {
    const [asked, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await server.close();
    server = await startServer((_request, response) => {
      response.on('close', () => closed.resolve());
      asked.resolve();
    });
    profiles[1] = { ...(profiles[1] as Profile), baseUrl: server.url };
    const signed = profileCommands.signIn(services, 'r');
    const input = await box();
    input['value'] = 'right';
    input.events.accept.fire(undefined as never);
    await asked.promise;
    input.events.hide.fire(undefined as never);
    await Promise.all([closed.promise, signed]);
    assert.deepEqual(done, []);
  });
});
