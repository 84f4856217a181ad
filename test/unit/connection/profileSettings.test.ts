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
      'millrace.profiles is ignored: it must be a list with an object for each profile.',
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

  it('reads each field of an entry, without the blanks around it', () => {
    const entry = {
      id: ' a ',
      name: ' A ',
      baseUrl: ' https://a.example/ ',
      authKind: 'basic',
      headerName: ' X-Key ',
      userName: ' me ',
      command: ' tool ',
      production: true,
      endpoints: [],
    };
    assert.deepEqual(readProfiles([entry]).profiles[1], {
      id: 'a',
      name: 'A',
      kind: 'remote',
      baseUrl: 'https://a.example',
      authKind: 'basic',
      headerName: 'X-Key',
      userName: 'me',
      command: 'tool',
      production: true,
      readOnly: false,
      endpoints: [],
    });
    const bare = { name: 'Über uns, Prod', baseUrl: 'a.example', command: ' ', userName: 7 };
    assert.deepEqual(readProfiles([bare]).profiles[1], {
      id: 'ber-uns-prod',
      name: 'Über uns, Prod',
      kind: 'remote',
      baseUrl: 'https://a.example',
      authKind: 'bearer',
      headerName: undefined,
      userName: undefined,
      command: undefined,
      production: false,
      readOnly: false,
      endpoints: [],
    });
  });

  it('says of each entry that is not used why, and which one it is', () => {
    const { profiles, problems } = readProfiles([
      5,
      { baseUrl: 'https://a.example' },
      { name: ' ', baseUrl: 'https://a.example' },
      staging,
      { ...staging, name: 'B' },
      { ...staging, id: 'c', authKind: 'magic' },
      { ...staging, id: 'd', authKind: 'header' },
      { ...staging, id: 'e', authKind: 'header', headerName: 'Host' },
      { ...staging, id: 'f', authKind: 'command', command: ' ' },
      { ...staging, id: 'g', baseUrl: 'ftp://x' },
      { ...staging, id: 'h', authKind: 'none', readOnly: 1 },
    ]);
    assert.deepEqual(
      problems.map((problem) => problem.replace('millrace.profiles: entry ', '').replace(' is not used.', '')),
      [
        '1 It must be an object with name and baseUrl.',
        '2 It has no name. Add one.',
        '3 It has no name. Add one.',
        '5 Its id "staging-1" is taken by another profile. Give it another id.',
        '6 Its authKind must be one of bearer, basic, header, command, none.',
        '7 It needs the name of the header to send, in headerName.',
        '8 It needs the name of the header to send, in headerName.',
        '9 It needs the command that prints the token, in command.',
        '10 The address must start with https:// or http://, not ftp://.',
        'millrace.profiles: readOnly of "Staging" must be true or false. Until then it counts as true.',
      ],
    );
    assert.deepEqual(
      profiles.map(({ id, authKind, readOnly }) => [id, authKind, readOnly]),
      [
        ['local', 'bearer', false],
        ['staging-1', 'bearer', false],
        ['h', 'none', true],
      ],
    );
  });

  it('writes of each kind of sign-in what that needs, and nothing else', () => {
    const profile = {
      ...localProfile,
      ...staging,
      kind: 'remote' as const,
      headerName: 'X-Key',
      userName: 'me',
      command: 'tool',
    };
    const written = (changes: object): unknown => toSetting({ ...profile, ...changes });
    assert.deepEqual(written({}), staging);
    assert.deepEqual(written({ authKind: 'none' }), { ...staging, authKind: 'none' });
    assert.deepEqual(written({ authKind: 'basic' }), { ...staging, authKind: 'basic', userName: 'me' });
    assert.deepEqual(written({ authKind: 'header' }), { ...staging, authKind: 'header', headerName: 'X-Key' });
    assert.deepEqual(written({ authKind: 'command' }), { ...staging, authKind: 'command', command: 'tool' });
    assert.deepEqual(written({ readOnly: true }), { ...staging, readOnly: true });
    assert.deepEqual(written({ production: true }), { ...staging, production: true });
    assert.deepEqual(written({ endpoints: [{ name: 'm', task: 'chat', more: 1 }] }), {
      ...staging,
      endpoints: [{ name: 'm', task: 'chat' }],
    });
  });

  it('keeps of an address its path, but for that of the API', () => {
    const kept = (text: string): unknown => {
      const read = checkBaseUrl(text);
      return read.ok ? read.value : read.problem;
    };
    const rows: [text: string, value: string][] = [
      ['https://a.example///', 'https://a.example'],
      ['https://a.example/b//', 'https://a.example/b'],
      ['https://a.example/b//c/', 'https://a.example/b//c'],
      ['https://a.example/api/2.0', 'https://a.example'],
      ['https://a.example/api/2.1/', 'https://a.example'],
      ['https://a.example/b/api/2.1/jobs/runs/list', 'https://a.example/b'],
      ['https://a.example/api/2.0/clusters/list', 'https://a.example/api/2.0/clusters/list'],
      ['https://a.example/api/2.x', 'https://a.example/api/2.x'],
      ['https://a.example/api/3.0', 'https://a.example/api/3.0'],
      ['HTTP://a.example:80', 'http://a.example'],
      ['localhost:8080', 'https://localhost:8080'],
      ['a.example/see/http://b.example', 'https://a.example/see/http://b.example'],
    ];
    assert.deepEqual(
      rows.map(([text]) => kept(text)),
      rows.map(([, value]) => value),
    );
    assert.match(String(kept(' ')), /^Enter the address of the service/);
    assert.match(String(kept('https://')), /^This is not an address/);
    for (const text of ['https://me@a.example', 'https://:pw@a.example'])
      assert.match(String(kept(text)), /^The address must not hold a user name or password/);
    for (const text of ['https://a.example?x', 'https://a.example#x'])
      assert.match(String(kept(text)), /^The address must not hold a query/);
  });

  it('makes an id of at most forty characters of the name, and six of chance', () => {
    assert.equal(newProfileId('-Prod  EU-', 'A-b_1C2d3e4f'), 'prod-eu-ab1c2d');
    assert.equal(newProfileId('x'.repeat(41), 'abc'), `${'x'.repeat(40)}-abc`);
    assert.equal(newProfileId('!', 'abc'), 'profile-abc');
  });

  it('leaves a header its name where it only resembles one that HTTP itself sets', () => {
    for (const name of ['X-Host', 'Hostname', 'Connection-Id', 'my-content-length'])
      assert.equal(isHeaderName(name), true, name);
    for (const name of ['HOST', 'Connection', 'Content-Length', 'transfer-encoding'])
      assert.equal(isHeaderName(name), false, name);
  });

  it('tells the ways on which nobody else could read', () => {
    const urls = ['no address', 'http://127.0.0.1', 'http://127.100.20.255:80', 'http://1127.0.0.1', 'http://[::1]'];
    assert.deepEqual(urls.map(isSentInTheClear), [false, false, false, false, false]);
    assert.equal(isSentInTheClear('http://128.0.0.1'), true);
  });
});
