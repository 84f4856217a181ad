import assert from 'node:assert/strict';
import { localProfile, type Profile } from '../../../src/connection/connection.ts';
import { originOf } from '../../../src/connection/profileSettings.ts';
import { saveProfile, type SaveOptions, type SecretKeeper } from '../../../src/connection/saveProfile.ts';
import { isAppError } from '../../../src/shared/errors.ts';

describe('saveProfile', () => {
  const keyOf = (profile: Profile): string => `${profile.id} ${originOf(profile)}`;
  const old: Profile = { ...localProfile, id: 'r', name: 'Remote', kind: 'remote', baseUrl: 'https://old.example' };
  const moved: Profile = { ...old, baseUrl: 'https://new.example' };

  let secrets: Map<string, string>;
  let saved: Profile[];
  let warnings: string[];
  /** What fails: a method of the keeper or `save`. */
  let failing: string | undefined;

  const vault: SecretKeeper = {
    get: async (profile) => secrets.get(keyOf(profile)),
    async store(profile, secret) {
      fail('store');
      secrets.set(keyOf(profile), secret);
    },
    async remove(profile) {
      fail('remove');
      secrets.delete(keyOf(profile));
    },
    async forget(profileId, except) {
      fail('forget');
      for (const key of secrets.keys())
        if (key.startsWith(`${profileId} `) && (!except || key !== keyOf(except))) secrets.delete(key);
    },
  };
  const options: SaveOptions = {
    vault,
    async save(profile) {
      // A client may be made with the profile in the very moment.
      assert.ok(profile.authKind === 'none' || secrets.has(keyOf(profile)));
      fail('save');
      saved.push(profile);
    },
    warn: (message) => warnings.push(message),
  };
  function fail(step: string): void {
    if (failing === step) throw new Error('EACCES');
  }
  const stored = (): object => Object.fromEntries(secrets);

  beforeEach(() => {
    secrets = new Map([
      ['r https://old.example', 'before'],
      ['r2 https://old.example', 'of another'],
    ]);
    saved = [];
    warnings = [];
    failing = undefined;
  });

  it('moves the sign-in with the profile', async () => {
    await saveProfile(moved, 'new', options);
    assert.deepEqual(stored(), { 'r https://new.example': 'new', 'r2 https://old.example': 'of another' });
    assert.deepEqual([saved, warnings], [[moved], []]);
  });

  it('removes the sign-in of a profile that needs none any more', async () => {
    await saveProfile({ ...old, authKind: 'none' }, undefined, options);
    assert.deepEqual(stored(), { 'r2 https://old.example': 'of another' });
  });

  for (const [what, profile, secret] of [
    ['another address', moved, 'new'],
    ['another secret', old, 'new'],
    ['no sign-in', { ...old, authKind: 'none' }, undefined],
    ['a first profile', { ...moved, id: 'n' }, 'new'],
  ] as const) {
    it(`leaves everything as it was where the settings cannot be written: ${what}`, async () => {
      failing = 'save';
      const before = stored();
      await assert.rejects(
        saveProfile(profile, secret, options),
        (error) =>
          isAppError(error) &&
          error.kind === 'unavailable' &&
          /was not saved.*EACCES/.test(error.message) &&
          error.remedy !== undefined,
      );
      assert.deepEqual(stored(), before);
      assert.deepEqual([saved, warnings], [[], []]);
    });
  }

  it('saves nothing where the secret is not kept', async () => {
    failing = 'store';
    const before = stored();
    await assert.rejects(saveProfile(moved, 'new', options), /EACCES/);
    assert.deepEqual([stored(), saved], [before, []]);
  });

  it('tells of an earlier sign-in that could not be removed', async () => {
    failing = 'forget';
    await saveProfile(moved, 'new', options);
    assert.equal(saved.length, 1);
    assert.match(warnings.join(), /is saved, but .* could not be removed/);
  });

  it('writes each failure as one sentence, whether it ends as one or not', async () => {
    for (const [said, told] of [
      ['EACCES', 'EACCES. It is'],
      ['No keyring.', 'No keyring. It is'],
      ['Locked?', 'Locked? It is'],
      ['Held. By whom', 'Held. By whom. It is'],
      [' Gone! ', 'Gone! It is'],
    ] as const) {
      warnings = [];
      const failed = { ...vault, forget: () => Promise.reject(new Error(said)) };
      await saveProfile(moved, 'new', { ...options, vault: failed });
      assert.ok(warnings[0]?.includes(`: ${told}`), warnings[0]);
    }
  });

  it('says where a sign-in that was entered cannot be taken back', async () => {
    const remove = (): Promise<never> => Promise.reject(new Error('Locked'));
    const failed = { ...vault, remove };
    const save = (): Promise<never> => Promise.reject(new Error('no disk'));
    await assert.rejects(saveProfile(moved, 'new', { ...options, vault: failed, save }), /no disk/);
    assert.deepEqual(warnings, [
      'The sign-in that was entered for the profile "Remote" could not be undone: Locked. Sign in again when you are asked.',
    ]);
  });

  it('keeps the secret first, then the profile, and only then forgets what was before', async () => {
    const steps: unknown[] = [];
    const noted =
      (name: string) =>
      async (...args: unknown[]): Promise<undefined> => {
        steps.push([name, ...args]);
        await Promise.resolve();
        steps.push(`${name} done`);
        return undefined;
      };
    const keeper = { get: noted('get'), store: noted('store'), remove: noted('remove'), forget: noted('forget') };
    const all = { vault: keeper as unknown as SecretKeeper, save: noted('save'), warn: () => assert.fail() };
    await saveProfile(moved, 'new', all);
    assert.deepEqual(steps, [
      ...[['get', moved], 'get done', ['store', moved, 'new'], 'store done'],
      ...[['save', moved], 'save done', ['forget', 'r', moved], 'forget done'],
    ]);
    steps.length = 0;
    await saveProfile(moved, undefined, all);
    assert.deepEqual(steps, [['save', moved], 'save done', ['forget', 'r', undefined], 'forget done']);
  });

  it('says why the settings could not be written, and what to do', async () => {
    const cause = new Error('no disk');
    await assert.rejects(
      saveProfile(moved, 'new', { ...options, save: () => Promise.reject(cause) }),
      (error: unknown) => {
        assert.ok(isAppError(error));
        assert.deepEqual(
          [error.kind, error.message, error.remedy, error.cause],
          [
            'unavailable',
            'The profile "Remote" was not saved, because the settings could not be written: no disk. What was set before still holds.',
            'Correct or save the settings file (Preferences: Open User Settings (JSON)), then try again.',
            cause,
          ],
        );
        return true;
      },
    );
  });

  it('says which sign-in of which profile is left over', async () => {
    failing = 'forget';
    await saveProfile(moved, 'new', options);
    assert.deepEqual(warnings, [
      'The profile "Remote" is saved, but a sign-in that it had before could not be removed from the secret ' +
        'storage: EACCES. It is not used. Remove the profile to try that again.',
    ]);
  });
});
