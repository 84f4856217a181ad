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

  it('sends what is not there as nothing, and runs the command that it has', async () => {
    const basic = draft({ authKind: 'basic' }, empty);
    await basic.client.jobs.listRuns({ limit: 1 });
    assert.equal(
      basic.asked[0]?.headers.get('authorization'),
      `Basic ${Buffer.from(':the-secret').toString('base64')}`,
    );
    assert.equal(basic.asked[0]?.url, 'https://x.example/api/2.0/jobs/runs/list?limit=1');
    const command = draft({ authKind: 'command', command: 'tool token' }, empty);
    assert.deepEqual(command.commands, [], 'nothing is run before it is needed');
    await command.client.jobs.listRuns({ limit: 1 });
    assert.deepEqual(command.commands, ['tool token']);
  });

  it('waits fifteen seconds for an answer, and as long for the rest of it', async () => {
    const real = globalThis.setTimeout;
    const waits: (number | undefined)[] = [];
    globalThis.setTimeout = ((task: () => void, ms?: number) => (waits.push(ms), real(task, ms))) as typeof setTimeout;
    try {
      const body = new ReadableStream({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode('{"runs": [], "has_more": false}'));
          controller.close();
        },
      });
      await draft({ authKind: 'none' }, () => new Response(body)).client.jobs.listRuns({ limit: 1 });
    } finally {
      globalThis.setTimeout = real;
    }
    assert.ok(waits.length > 1);
    assert.deepEqual(new Set(waits), new Set([15_000]));
  });
});
