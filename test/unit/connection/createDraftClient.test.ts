import assert from 'node:assert/strict';
import { localProfile, type Profile } from '../../../src/connection/connection.ts';
import { createDraftClient } from '../../../src/connection/createDraftClient.ts';
import { silentLogger } from '../../../src/shared/log.ts';

const remote: Profile = { ...localProfile, id: 'r', kind: 'remote', baseUrl: 'https://x.example' };

/** What was asked of the service, and how the client that is told of failures does. */
function draft(profile: Partial<Profile>, answer: () => Promise<Response> | Response) {
  const asked: { url: string; headers: Headers; signal: AbortSignal | null | undefined }[] = [];
  const commands: string[] = [];
  const client = createDraftClient({ ...remote, ...profile }, 'the-secret', {
    log: silentLogger,
    runCommand: async (command) => (commands.push(command), `printed-${commands.length}`),
    fetch: (async (url: string | URL | Request, init?: RequestInit) => {
      asked.push({ url: String(url), headers: new Headers(init?.headers), signal: init?.signal });
      return answer();
    }) as never,
  });
  return { client, asked, commands };
}
const empty = (): Response =>
  new Response('{"runs": [], "has_more": false}', { headers: { 'content-type': 'application/json' } });

describe('the client of a profile that is not saved yet', () => {
  it('signs with what was entered, by the kind of sign-in', async () => {
    const sent = async (profile: Partial<Profile>): Promise<[string | null, string | null]> => {
      const { client, asked } = draft(profile, empty);
      await client.jobs.listRuns({ limit: 1 });
      const headers = asked[0]?.headers;
      return [headers?.get('authorization') ?? null, headers?.get('x-key') ?? null];
    };
    assert.deepEqual(await sent({ authKind: 'none' }), [null, null]);
    assert.deepEqual(await sent({ authKind: 'bearer' }), ['Bearer the-secret', null]);
    assert.deepEqual(await sent({ authKind: 'basic', userName: 'me' }), [
      `Basic ${Buffer.from('me:the-secret').toString('base64')}`,
      null,
    ]);
    assert.deepEqual(await sent({ authKind: 'header', headerName: 'X-Key' }), [null, 'the-secret']);
    assert.deepEqual(await sent({ authKind: 'command', command: 'tool token' }), ['Bearer printed-1', null]);
  });

  it('runs its command once', async () => {
    const { client, asked, commands } = draft({ authKind: 'command', command: 'tool token' }, empty);
    await client.jobs.listRuns({ limit: 1 });
    await client.jobs.listRuns({ limit: 1 });
    assert.deepEqual([commands, asked.length], [['tool token'], 2]);
  });

  it('tries nothing again', async () => {
    const { client, asked } = draft({ authKind: 'none' }, () => new Response('', { status: 503 }));
    await assert.rejects(client.jobs.listRuns({ limit: 1 }));
    assert.equal(asked.length, 1);
  });
});
