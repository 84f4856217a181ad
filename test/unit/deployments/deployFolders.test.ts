import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { localMemoryOf, memoryOf, stateFolder } from '../../../src/deployments/deployFolders.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('where deploys are remembered', () => {
  const { platform } = process;
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env;
  const on = (name: string): void => void Object.defineProperty(process, 'platform', { value: name });
  afterEach(() => {
    on(platform);
    for (const [name, value] of Object.entries({ XDG_STATE_HOME, LOCALAPPDATA }))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });

  it('is where each system keeps such things of a user', () => {
    const home = os.homedir();
    process.env['XDG_STATE_HOME'] = '/state';
    process.env['LOCALAPPDATA'] = '/local';
    const folders = (): string[] =>
      ['linux', 'win32', 'darwin'].map((name) => {
        on(name);
        return stateFolder();
      });
    const mac = path.join(home, 'Library', 'Application Support', 'Millrace');
    assert.deepEqual(folders(), [path.join('/state', 'millrace'), path.join('/local', 'Millrace'), mac]);
    process.env['XDG_STATE_HOME'] = process.env['LOCALAPPDATA'] = '';
    const own = [path.join(home, '.local', 'state', 'millrace'), path.join(home, 'AppData', 'Local', 'Millrace'), mac];
    assert.deepEqual(folders(), own);
    delete process.env['XDG_STATE_HOME'];
    delete process.env['LOCALAPPDATA'];
    assert.deepEqual(folders(), own);
  });

  it('is a folder for each service, without its address in it, and below the data of the local one', () => {
    process.env['XDG_STATE_HOME'] = '/state';
    on('linux');
    assert.equal(
      memoryOf('https://a.example'),
      path.join('/state', 'millrace', 'deployments', digest('https://a.example').slice(0, 16)),
    );
    assert.equal(localMemoryOf('/data'), path.join('/data', 'deployments'));
  });
});
