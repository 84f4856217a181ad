import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { localProfile, type Profile } from '../../../src/connection/connection.ts';
import { ProfileRegistry } from '../../../src/connection/host/profileRegistry.ts';
import { SecretVault } from '../../../src/connection/host/secretVault.ts';
import { silentLogger } from '../../../src/shared/log.ts';

const remote: Profile = { ...localProfile, id: 'r', name: 'Remote', kind: 'remote', baseUrl: 'https://a.example' };

class MemorySecrets implements vscode.SecretStorage {
  readonly kept = new Map<string, string>();
  forgetful = false;
  readonly onDidChange = new vscode.EventEmitter<vscode.SecretStorageChangeEvent>().event;
  keys = (): Promise<string[]> => Promise.resolve([...this.kept.keys()]);
  get = (key: string): Promise<string | undefined> => Promise.resolve(this.kept.get(key));
  store = (key: string, value: string): Promise<void> =>
    Promise.resolve(void (this.forgetful || this.kept.set(key, value)));
  delete = (key: string): Promise<void> => Promise.resolve(void this.kept.delete(key));
}

class MemoryState implements vscode.Memento {
  readonly #values = new Map<string, unknown>();
  keys = (): readonly string[] => [...this.#values.keys()];
  get = <T>(key: string, fallback?: T): T => (this.#values.get(key) ?? fallback) as T;
  update = (key: string, value: unknown): Promise<void> => Promise.resolve(void this.#values.set(key, value));
  setKeysForSync = (): void => undefined;
}

describe('Secrets of profiles', () => {
  let storage: MemorySecrets;
  let vault: SecretVault;

  beforeEach(() => {
    storage = new MemorySecrets();
    vault = new SecretVault(storage);
  });

  it('belong to the profile and to the origin that they were entered for', async () => {
    await vault.store(remote, 'secret');
    assert.equal(await vault.get({ ...remote, name: 'Renamed', baseUrl: 'https://a.example/path' }), 'secret');
    for (const baseUrl of [
      'https://b.example',
      'http://a.example',
      'https://a.example:8443',
      'https://a.example.evil',
      'https://evil-a.example',
    ])
      assert.equal(await vault.get({ ...remote, baseUrl }), undefined, baseUrl);
    assert.equal(await vault.get({ ...remote, id: 'r2' }), undefined);
    assert.equal(await vault.get({ ...remote, id: 'r@https://a.example' }), undefined);
  });

  it('are reported as not stored if the storage fails', async () => {
    storage.forgetful = true;
    await assert.rejects(
      vault.store(remote, 'secret-text'),
      (error: Error & { kind?: string; remedy?: string }) =>
        error.kind === 'unavailable' && error.remedy !== undefined && !error.message.includes('secret-text'),
    );
  });

  it('are deleted with their profile at every origin, and no others', async () => {
    await vault.store(remote, 'one');
    await vault.store({ ...remote, baseUrl: 'https://b.example' }, 'two');
    await vault.store({ ...remote, id: 'r2' }, 'other');
    await vault.forget('r', remote);
    assert.deepEqual([...storage.kept.values()], ['one', 'other']);
    await vault.forget('r');
    assert.deepEqual([...storage.kept.values()], ['other']);
  });
});

describe('Profiles of a window', () => {
  const registries: ProfileRegistry[] = [];
  let globalState: MemoryState;

  /** A window of its own: what it remembers for its workspace is new, what it remembers for folders is shared. */
  function newWindow(): ProfileRegistry {
    const context = { workspaceState: new MemoryState(), globalState } as unknown as vscode.ExtensionContext;
    const registry = new ProfileRegistry(context, silentLogger);
    registries.push(registry);
    return registry;
  }

  const setting = (name: string, value: unknown): Thenable<void> =>
    vscode.workspace.getConfiguration('millrace').update(name, value, vscode.ConfigurationTarget.Global);

  beforeEach(() => {
    globalState = new MemoryState();
  });

  afterEach(async () => {
    for (const registry of registries.splice(0)) registry.dispose();
    await setting('defaultProfile', undefined);
    await setting('profiles', undefined);
  });

  it('start with Local, use the default, and remember a choice for the folder', async () => {
    assert.equal(newWindow().current.id, 'local');
    await setting('profiles', [
      { id: 'one', name: 'One', baseUrl: 'https://one.example' },
      { id: 'two', name: 'Two', baseUrl: 'https://two.example' },
    ]);
    await setting('defaultProfile', 'Two');
    const window = newWindow();
    assert.equal(window.current.id, 'two');
    const told: string[] = [];
    window.onDidChange(({ id }) => told.push(id));
    await window.choose('one');
    assert.deepEqual([window.current.id, told], ['one', ['one']]);
    assert.equal(newWindow().current.id, 'one');
    await window.remove('one');
    assert.equal(newWindow().current.id, 'two');
  });

  it('keep unreadable entries of the setting unchanged', async () => {
    await setting('profiles', [{ name: 'broken' }, { id: 'one', name: 'One', baseUrl: 'https://one.example' }]);
    const window = newWindow();
    await window.save({ ...remote, id: 'one', name: 'Uno' });
    await window.save(remote);
    assert.deepEqual(vscode.workspace.getConfiguration('millrace').inspect('profiles')?.globalValue, [
      { name: 'broken' },
      { id: 'one', name: 'Uno', baseUrl: 'https://a.example' },
      { id: 'r', name: 'Remote', baseUrl: 'https://a.example' },
    ]);
    assert.deepEqual(
      window.profiles.map(({ id }) => id),
      ['local', 'one', 'r'],
    );
  });
});
