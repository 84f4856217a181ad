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
      'The sign-in that was entered for the profile "Remote" could not be taken back: Locked. Sign in again where it is asked for.',
    ]);
  });
});
