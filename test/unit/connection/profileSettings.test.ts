import assert from 'node:assert/strict';
import { localProfile, type Profile } from '../../../src/connection/connection.ts';
import { formatEndpointList, parseEndpointList } from '../../../src/connection/endpointList.ts';
import { splitCommand } from '../../../src/connection/host/tokenCommand.ts';
import {
  checkBaseUrl,
  isHeaderName,
  isSentInTheClear,
  newProfileId,
  originOf,
  readProfiles,
  toSetting,
} from '../../../src/connection/profileSettings.ts';
import { type SaveOptions, saveProfile, type SecretKeeper } from '../../../src/connection/saveProfile.ts';

const staging = { id: 'staging-1', name: 'Staging', baseUrl: 'https://staging.example.com' };

describe('profile settings', () => {
  it('start with the local profile', () => {
    for (const setting of [undefined, null, 'x', 5, {}, [], [null], [[]]])
      assert.deepEqual(readProfiles(setting).profiles, [localProfile]);
  });

  it('are written as they were read', () => {
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

  it('read endpoints with their tasks', () => {
    const named = [{ name: ' n ' }, { name: 'o', task: 'embedding' }, { name: 'p', task: 'odd' }];
    const endpoints = [' m ', '', '  ', 7, null, {}, ...named];
    assert.deepEqual(readProfiles([{ ...staging, endpoints }]).profiles[1]?.endpoints, [
      { name: 'm', task: 'chat' },
      { name: 'n', task: 'chat' },
      { name: 'o', task: 'embedding' },
    ]);
    assert.deepEqual(readProfiles([{ ...staging, endpoints: 'm' }]).profiles[1]?.endpoints, []);
  });

  it('keep good entries beside bad ones and report each bad one', () => {
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
    for (const problem of problems) assert.match(problem, /^millrace\.profiles: entry \d is ignored\. .+\.$/);
  });

  it('report a setting that is not a list, and treat an unclear protection as one', () => {
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

  it('accept a pasted address', () => {
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

  it('refuse an address that would leak or mislead', () => {
    for (const text of [
      ...['', 'https://', 'ftp://host', 'file:///etc/passwd', 'javascript://x', 'https://user:secret@host'],
      ...['https://:secret@host', 'https://token@host', 'https://host?token=1', 'https://host#x', 'https://a b'],
    ]) {
      const result = checkBaseUrl(text);
      assert.equal(result.ok, false, text);
      assert.doesNotMatch(result.ok ? '' : result.problem, /secret/);
    }
  });

  it('know where a secret could be read on the way', () => {
    for (const host of ['host.example.com', 'localhost.example.com', 'notlocalhost', '127.0.0.1.example.com', '[::2]'])
      assert.equal(isSentInTheClear(`http://${host}`), true, host);
    for (const url of ['https://host.example.com', 'http://127.0.0.1:5', 'http://localhost:5', 'http://[::1]:5'])
      assert.equal(isSentInTheClear(url), false, url);
  });

  it('bind to the origin with its port and scheme', () => {
    const origins = ['https://a.example', 'http://a.example', 'https://a.example:8443', 'https://a.example.evil'].map(
      (baseUrl) => originOf({ ...localProfile, baseUrl }),
    );
    assert.equal(new Set(origins).size, 4);
    assert.equal(originOf({ ...localProfile, baseUrl: 'https://a.example/other/path' }), 'https://a.example');
  });

  it('accept only header names', () => {
    for (const name of ['X-Api-Key', 'Authorization', 'x_key']) assert.equal(isHeaderName(name), true, name);
    for (const name of ['', 'a b', 'a:b', 'a\r\nb', 'Host', 'content-length', 'Transfer-Encoding', 'connection'])
      assert.equal(isHeaderName(name), false, name);
  });

  it('create ids that are readable and unique', () => {
    assert.match(newProfileId('Prod EU!', crypto.randomUUID()), /^prod-eu-[0-9a-f]{6}$/);
    assert.notEqual(newProfileId('x', crypto.randomUUID()), newProfileId('x', crypto.randomUUID()));
    assert.match(newProfileId('日本', crypto.randomUUID()), /^profile-/);
  });
});

describe('a list of endpoints', () => {
  it('is names with tasks, chat by default', () => {
    const { endpoints, problem } = parseEndpointList(' my-chat, , my-embedder : embedding ,x:completion,y:chat');
    assert.equal(problem, undefined);
    assert.deepEqual(endpoints, [
      { name: 'my-chat', task: 'chat' },
      { name: 'my-embedder', task: 'embedding' },
      { name: 'x', task: 'completion' },
      { name: 'y', task: 'chat' },
    ]);
    assert.equal(formatEndpointList(endpoints), 'my-chat, my-embedder:embedding, x:completion, y');
    assert.deepEqual(parseEndpointList(formatEndpointList(endpoints)), { endpoints });
    assert.deepEqual(parseEndpointList(''), { endpoints: [] });
  });

  it('is refused at its wrong part', () => {
    for (const part of ['a:images', ':chat', 'a:chat:b', 'a:'])
      assert.deepEqual(
        parseEndpointList(`good, ${part}`),
        {
          endpoints: [],
          problem: `"${part}" is not "name" or "name:task". The task is one of chat, completion, embedding.`,
        },
        part,
      );
  });
});

describe('a command line', () => {
  it('is split into a program and its words, and read by no shell', () => {
    for (const [text, program, ...args] of [
      ['  tool  a   b ', 'tool', 'a', 'b'],
      [
        String.raw`C:\tools\t.exe "C:\my files\x" "say \"hi\""`,
        String.raw`C:\tools\t.exe`,
        String.raw`C:\my files\x`,
        'say "hi"',
      ],
      ['tool $(rm -rf /) ; reboot > x', 'tool', '$(rm', '-rf', '/)', ';', 'reboot', '>', 'x'],
    ] as const)
      assert.deepEqual(splitCommand(text), { program, args });
  });

  it('is refused when its quotes do not match', () => {
    for (const text of ['', '   ', 'tool "a', "tool 'a", '""'])
      assert.throws(() => splitCommand(text), { kind: 'invalid' }, text);
  });
});

describe('saving a profile', () => {
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

  it('removes an unneeded sign-in', async () => {
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
      await assert.rejects(saveProfile(profile, secret, options), {
        kind: 'unavailable',
        message: /was not saved.*EACCES/,
        remedy: /./,
      });
      assert.deepEqual(stored(), before);
      assert.deepEqual([saved, warnings], [[], []]);
    });
  }

  it('saves nothing when the secret is not stored', async () => {
    failing = 'store';
    const before = stored();
    await assert.rejects(saveProfile(moved, 'new', options), /EACCES/);
    assert.deepEqual([stored(), saved], [before, []]);
  });
});
