import assert from 'node:assert/strict';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import type { AppError } from '../../../../src/shared/errors.ts';
import '../../../support/editorStandIn/editorStandIn.ts';

const { SecretVault } = await import('../../../../src/connection/host/secretVault.ts');

const profile = (id: string, baseUrl: string): Profile => ({
  ...localProfile,
  id,
  name: `P ${id}`,
  kind: 'remote',
  baseUrl,
});
const refused = (error: AppError): boolean => {
  assert.equal(error.kind, 'unavailable');
  assert.match(error.message, /did not keep the sign-in of profile "P a"\. It is not stored anywhere\./);
  assert.match(error.remedy ?? '', /keyring/);
  return true;
};

describe('secrets of profiles', () => {
  let stored: Map<string, string>;
  let vault: InstanceType<typeof SecretVault>;
  let storage: Record<'get' | 'store' | 'delete' | 'keys', (...args: string[]) => Promise<unknown>>;

  beforeEach(() => {
    stored = new Map();
    storage = {
      get: async (key = '') => stored.get(key),
      store: async (key = '', value = '') => void stored.set(key, value),
      delete: async (key = '') => void stored.delete(key),
      keys: async () => [...stored.keys()],
    };
    vault = new SecretVault(storage as never);
  });

  it('belong to one profile at one origin, whatever the path', async () => {
    await vault.store(profile('a', 'https://x.example/path'), 'one');
    assert.equal(await vault.get(profile('a', 'https://x.example')), 'one');
    for (const other of [
      profile('a', 'https://y.example'),
      profile('a', 'http://x.example'),
      profile('b', 'https://x.example'),
    ])
      assert.equal(await vault.get(other), undefined);
    await vault.remove(profile('a', 'https://y.example'));
    assert.equal(stored.size, 1);
    await vault.remove(profile('a', 'https://x.example'));
    assert.equal(stored.size, 0);
  });

  it('are said not to be kept where the storage fails, or keeps something else', async () => {
    storage.store = () => Promise.reject(new Error('locked'));
    await assert.rejects(vault.store(profile('a', 'https://x.example'), 'one'), (error: AppError) => {
      assert.match(String(error.cause), /locked/);
      return refused(error);
    });
    storage.store = async () => undefined;
    await assert.rejects(vault.store(profile('a', 'https://x.example'), 'one'), refused);
    storage.get = () => Promise.reject(new Error('locked'));
    await assert.rejects(vault.store(profile('a', 'https://x.example'), 'one'), refused);
  });

  it('go with their profile from every origin but one, and with no other profile, however it is called', async () => {
    const kept = [profile('ab', 'https://x.example'), profile('a@https://x.example', 'https://x.example')];
    for (const each of [...kept, profile('a', 'https://x.example'), profile('a', 'https://y.example')])
      await vault.store(each, each.id);
    await vault.forget('a', profile('a', 'https://y.example'));
    assert.equal(await vault.get(profile('a', 'https://x.example')), undefined);
    assert.equal(await vault.get(profile('a', 'https://y.example')), 'a');
    await vault.forget('a');
    assert.deepEqual(
      [...stored.values()],
      kept.map(({ id }) => id),
    );
  });
});
