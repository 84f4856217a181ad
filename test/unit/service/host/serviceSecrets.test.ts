import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mailPasswordName, secretNamesIn, withSecrets } from '../../../../src/service/host/serviceSecrets.ts';

const destinations = {
  plain: { url: 'https://example.com/hook' },
  team: { url: 'https://example.com/${secret:path}', headers: { authorization: 'Bearer ${secret:team}', accept: 'x' } },
  lost: { url: 'https://example.com/', headers: { authorization: '${secret:nobody}' } },
};

describe('secrets of the local service', () => {
  it('are put where the settings refer to them', async () => {
    const kept: Record<string, string> = { path: 'a/b', team: '$&secret$1', [mailPasswordName]: 'post' };
    const { configuration, missing, leftOut, hasPlainPassword } = await withSecrets(
      { maxParallelRuns: 3, smtp: { host: 'mail', user: 'me' }, destinations },
      async (name) => kept[name],
    );
    assert.deepEqual(configuration, {
      maxParallelRuns: 3,
      smtp: { host: 'mail', user: 'me', password: 'post' },
      destinations: {
        plain: destinations.plain,
        team: { url: 'https://example.com/a/b', headers: { authorization: 'Bearer $&secret$1', accept: 'x' } },
      },
    });
    assert.deepEqual([missing, leftOut, hasPlainPassword], [['nobody'], ['lost'], false]);
    assert.deepEqual(secretNamesIn(destinations), ['path', 'team', 'nobody']);
  });

  it('are not taken from a setting', async () => {
    const found = await withSecrets(
      { smtp: { host: 'mail', user: 'me', password: 'in the setting' } },
      async () => undefined,
    );
    assert.deepEqual(found, {
      configuration: { smtp: { host: 'mail', user: 'me', password: undefined } },
      missing: [mailPasswordName],
      leftOut: [],
      hasPlainPassword: true,
      plainHeadersOf: [],
    });
    const plain = {
      team: { url: 'https://example.com', headers: { Authorization: 'Bearer open' } },
      other: { url: 'https://example.com', headers: { accept: 'x', 'x-api-key': '${secret:key}' } },
    };
    assert.deepEqual((await withSecrets({ destinations: plain }, async () => 'x')).plainHeadersOf, ['team']);
    assert.deepEqual((await withSecrets({ smtp: { host: 'mail' } }, async () => 'x')).configuration, {
      smtp: { host: 'mail', password: undefined },
    });
    for (const [name, isSecret] of [
      ['Authorization', true],
      ['cookie', true],
      ['x-token', true],
      ['my-Secret', true],
      ['Password', true],
      ['x-api-key', true],
      ['accept', false],
    ] as const) {
      const hook = (value: string) => ({ hook: { url: 'https://example.com', headers: { [name]: value } } });
      const plainIn = async (value: string): Promise<string[]> =>
        (await withSecrets({ destinations: hook(value) }, async () => 'x')).plainHeadersOf;
      assert.deepEqual(await plainIn('open'), isSecret ? ['hook'] : [], name);
      assert.deepEqual(await plainIn('Bearer ${secret:a}'), [], name);
    }
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
      contributes: {
        configuration: { properties: Record<string, { markdownDescription?: string; scope?: string }> }[];
      };
      capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
    };
    const settings = Object.assign(
      {},
      ...[manifest.contributes.configuration].flat().map(({ properties }) => properties),
    ) as Record<string, { markdownDescription?: string; scope?: string }>;
    assert.doesNotMatch(settings['millrace.local.smtp']!.markdownDescription!, /`password`/);
    for (const [name, { scope }] of Object.entries(settings)) {
      if (name.startsWith('millrace.local.') && scope !== 'machine')
        assert.ok(
          manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(name),
          `${name} can be set by a workspace that is not trusted`,
        );
    }
  });
});
