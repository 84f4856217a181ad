import assert from 'node:assert/strict';
import { localProfile } from '../../../src/connection/connection.ts';
import {
  checkBaseUrl,
  isHeaderName,
  isSentInTheClear,
  newProfileId,
  originOf,
  readProfiles,
  settingsTargetOf,
  toSetting,
} from '../../../src/connection/profileSettings.ts';

const staging = { id: 'staging-1', name: 'Staging', baseUrl: 'https://staging.example.com' };

describe('profile settings', () => {
  it('has the local profile first, whatever the setting holds', () => {
    for (const setting of [undefined, null, 'x', 5, {}, [], [null], [[]]])
      assert.deepEqual(readProfiles(setting).profiles, [localProfile]);
  });

  it('reads an entry and writes the same entry', () => {
    const entry = {
      ...staging,
      authKind: 'header',
      headerName: 'X-Api-Key',
      production: true,
      endpoints: [{ name: 'm', task: 'embedding' }],
    };
    const { profiles, problems } = readProfiles([entry]);
    assert.deepEqual(problems, []);
    assert.deepEqual(toSetting(profiles[1]!), entry);
  });

  it('reads endpoints as names, or with their tasks, and leaves out what is neither', () => {
    const endpoints = [
      ' m ',
      '',
      '  ',
      7,
      null,
      {},
      { name: ' n ' },
      { name: 'o', task: 'embedding' },
      { name: 'p', task: 'odd' },
    ];
    assert.deepEqual(readProfiles([{ ...staging, endpoints }]).profiles[1]?.endpoints, [
      { name: 'm', task: 'chat' },
      { name: 'n', task: 'chat' },
      { name: 'o', task: 'embedding' },
    ]);
    assert.deepEqual(readProfiles([{ ...staging, endpoints: 'm' }]).profiles[1]?.endpoints, []);
  });

  it('keeps good entries beside bad ones and says what is wrong with each', () => {
    const { profiles, problems } = readProfiles([
      { name: 'no address' },
      staging,
      { ...staging, name: 'same id' },
      { ...staging, id: 'local' },
      { ...staging, id: 'b', authKind: 'magic' },
      { ...staging, id: 'c', authKind: 'header', headerName: 'a b' },
      { ...staging, id: 'd', authKind: 'command' },
    ]);
    assert.deepEqual(
      profiles.map(({ id }) => id),
      ['local', 'staging-1'],
    );
    assert.equal(problems.length, 6);
    for (const problem of problems) assert.match(problem, /^millrace\.profiles: entry \d is not used\. .+\.$/);
  });

  it('says that a setting is no list, and takes an unclear protection for one', () => {
    assert.deepEqual(readProfiles({ name: 'a' }).problems, [
      'millrace.profiles is not used: it must be a list, with an object for each profile.',
    ]);
    assert.deepEqual(readProfiles(undefined).problems, []);
    const { profiles, problems } = readProfiles([
      { name: 'a', baseUrl: 'https://a.example', production: 'yes', readOnly: 'false' },
      { name: 'b', baseUrl: 'https://b.example', production: false, readOnly: null },
    ]);
    assert.deepEqual(
      profiles.slice(1).map(({ production, readOnly }) => [production, readOnly]),
      [
        [true, true],
        [false, false],
      ],
    );
    assert.deepEqual(problems, [
      'millrace.profiles: production, readOnly of "a" must be true or false. Until then it counts as true.',
    ]);
  });

  it('takes an address as people paste it', () => {
    assert.deepEqual(checkBaseUrl('  https://Host.example.com/path/ '), {
      ok: true,
      value: 'https://host.example.com/path',
    });
    assert.deepEqual(checkBaseUrl('host.example.com'), { ok: true, value: 'https://host.example.com' });
    assert.deepEqual(checkBaseUrl('http://127.0.0.1:8080/'), { ok: true, value: 'http://127.0.0.1:8080' });
    assert.deepEqual(checkBaseUrl('https://h.example.com/api/2.0/jobs/list'), {
      ok: true,
      value: 'https://h.example.com',
    });
  });

  it('refuses an address that would leak or mislead', () => {
    for (const text of [
      '',
      'https://',
      'ftp://host',
      'file:///etc/passwd',
      'javascript://x',
      'https://user:secret@host',
      'https://:secret@host',
      'https://token@host',
      'https://host?token=1',
      'https://host#x',
      'https://a b',
    ]) {
      const result = checkBaseUrl(text);
      assert.equal(result.ok, false, text);
      assert.doesNotMatch(result.ok ? '' : result.problem, /secret/);
    }
  });

  it('knows where a secret could be read on the way', () => {
    for (const url of [
      'http://host.example.com',
      'http://localhost.example.com',
      'http://notlocalhost',
      'http://127.0.0.1.example.com',
      'http://[::2]',
    ])
      assert.equal(isSentInTheClear(url), true, url);
    for (const url of ['https://host.example.com', 'http://127.0.0.1:5', 'http://localhost:5', 'http://[::1]:5'])
      assert.equal(isSentInTheClear(url), false, url);
  });

  it('binds to the origin, port and scheme included', () => {
    const origins = ['https://a.example', 'http://a.example', 'https://a.example:8443', 'https://a.example.evil'].map(
      (baseUrl) => originOf({ ...localProfile, baseUrl }),
    );
    assert.equal(new Set(origins).size, 4);
    assert.equal(originOf({ ...localProfile, baseUrl: 'https://a.example/other/path' }), 'https://a.example');
  });

  it('accepts header names only', () => {
    for (const name of ['X-Api-Key', 'Authorization', 'x_key']) assert.equal(isHeaderName(name), true, name);
    for (const name of ['', 'a b', 'a:b', 'a\r\nb', 'Host', 'content-length', 'Transfer-Encoding', 'connection'])
      assert.equal(isHeaderName(name), false, name);
  });

  it('makes ids that tell the profile and do not repeat', () => {
    assert.match(newProfileId('Prod EU!', crypto.randomUUID()), /^prod-eu-[0-9a-f]{6}$/);
    assert.notEqual(newProfileId('x', crypto.randomUUID()), newProfileId('x', crypto.randomUUID()));
    assert.match(newProfileId('日本', crypto.randomUUID()), /^profile-/);
  });

  it('leads to the address of a profile, in words to this machine where it has none', () => {
    assert.equal(settingsTargetOf({ ...localProfile, baseUrl: 'https://a.example/b' }), 'https://a.example/b');
    assert.equal(settingsTargetOf(localProfile), 'the local service on this machine');
    assert.deepEqual(
      [originOf({ ...localProfile, baseUrl: 'https://a.example:8443/b' }), originOf(localProfile)],
      ['https://a.example:8443', 'local'],
    );
  });
});
