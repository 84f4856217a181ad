import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import type { HttpCall, RouteHandler } from '../../../../src/service/http/handler.ts';
import { pageHandlers } from '../../../../src/service/http/pageHandlers.ts';

describe('the page of a run, as it is asked for', () => {
  let folder: string;
  let outcome: object | undefined;
  let heads: [status: number, headers: Record<string, string>][];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-page-'));
    mkdirSync(join(folder, 'runs', '4'), { recursive: true });
    [outcome, heads] = [undefined, []];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const route = (): RouteHandler | undefined =>
    pageHandlers({
      dataFolder: folder,
      store: { runParts: { outcome: () => outcome } },
      engine: {
        get: (runId: string) =>
          ['4', '04', '4x', 'x4', '4'.repeat(19), '4'.repeat(20)].includes(runId)
            ? {
                runId,
                trigger: 'ONE_TIME',
                attemptNumber: 0,
                runName: 'n',
                lifeCycle: 'TERMINATED',
                result: 'FAILED',
                detail: '',
                message: '',
                createdAt: 0,
                endedAt: 0,
                creator: 'c',
              }
            : undefined,
      },
      keys: { isKeyOf: (_runId: string, key: string) => key === 'right', pathOf: () => '' },
    } as unknown as Parameters<typeof pageHandlers>[0])[0];
  const ask = async (runId: string, key: string): Promise<string> => {
    const response = Object.assign(new PassThrough(), {
      headersSent: false,
      writeHead: (status: number, headers: Record<string, string>) => void heads.push([status, headers]),
    });
    const answer = await route()!.handle({ path: { runId, key }, response } as unknown as HttpCall);
    assert.equal(answer, undefined, 'it answers by itself');
    return text(response);
  };

  it('is for whoever has its key', () => assert.deepEqual([route()?.isOpen, route()?.method], [true, 'GET']));

  it('shows what the run printed, its error and what its notebook gave', async () => {
    writeFileSync(join(folder, 'runs', '4', 'output.log'), 'printed <b>');
    outcome = { error: 'short', notebookResult: { result: 'given back' } };
    const page = await ask('4', 'right');
    for (const part of [
      '<h2>Output</h2><pre>printed &lt;b&gt;',
      '<h2>Error</h2><pre>short',
      '<h2>Notebook result</h2><pre>given back',
    ])
      assert.ok(page.includes(part), part);
    outcome = { error: 'short', errorTrace: 'at line 1' };
    assert.ok((await ask('4', 'right')).includes('<h2>Error</h2><pre>at line 1'));
    const [[status, headers], [, again]] = heads as [(typeof heads)[0], (typeof heads)[0]];
    const nonceIn = (policy = ''): string | undefined => /'nonce-([^']+)'/.exec(policy)?.[1];
    assert.equal(status, 200);
    assert.ok(page.includes(`<style nonce="${nonceIn(headers['content-security-policy'])}">`));
    assert.notEqual(nonceIn(headers['content-security-policy']), nonceIn(again['content-security-policy']));
  });

  it('is there for an id of as many digits as ids have', async () =>
    assert.ok((await ask('4'.repeat(19), 'right')).includes('<style nonce=')));

  it('says that it shows the beginning of a long output', async () => {
    writeFileSync(join(folder, 'runs', '4', 'output.log'), 'x'.repeat(5 * 1024 * 1024 + 1));
    assert.ok((await ask('4', 'right')).includes('<h2>Output, its first 5 MB</h2>'));
  });

  it('is not there for a wrong key or id, and nothing tells the two apart', async () => {
    for (const [runId, key] of [
      ['4', 'wrong'],
      ['5', 'right'],
      ['x4', 'right'],
      ['4x', 'right'],
      ['', 'right'],
      ['4'.repeat(20), 'right'],
    ] as const)
      await assert.rejects(ask(runId, key), (error) => {
        assert.ok(error instanceof ApiError);
        assert.deepEqual([error.status, error.errorCode], [404, 'RESOURCE_DOES_NOT_EXIST']);
        assert.match(error.message, /There is no such page: the run was deleted, or the address is not complete/);
        return true;
      });
    assert.deepEqual(heads, []);
  });
});
