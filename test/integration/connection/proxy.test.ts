import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import { createClient } from '../../../src/api/client/index.ts';
import { checkConnection } from '../../../src/connection/checkConnection.ts';
import { nodeFetch } from '../../../src/connection/host/nodeFetch.ts';

describe("The editor's proxy settings", () => {
  let proxy: Server;
  let seen: string[];
  let refuse: boolean;

  before(async () => {
    proxy = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          request.url?.includes('/runs/list') ? { runs: [{ run_id: 1 }], has_more: false } : { endpoints: [] },
        ),
      );
    });
    proxy.on('connect', (request, socket) => {
      seen.push(`CONNECT ${request.url}`);
      socket.end(
        refuse
          ? 'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n'
          : 'HTTP/1.1 502 Bad Gateway\r\n\r\n',
      );
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    await setProxy(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  });

  beforeEach(() => {
    seen = [];
    refuse = false;
  });

  after(async () => {
    await setProxy(undefined);
    proxy.closeAllConnections();
    proxy.close();
  });

  const check = (baseUrl: string): ReturnType<typeof checkConnection> =>
    checkConnection(createClient({ baseUrl, auth: { kind: 'bearer', token: 'x' }, fetch: nodeFetch, retry: 'fail' }));

  it('are used for https', async () => {
    const result = await check('https://workspace.invalid');
    assert.deepEqual([...new Set(seen)], ['CONNECT workspace.invalid:443']);
    assert.match(
      result.ok ? '' : result.message,
      /^A proxy or gateway answers for workspace\.invalid but cannot reach it \(502\)/,
    );
  });

  it('are named if the proxy requires credentials', async () => {
    refuse = true;
    const result = await check('https://workspace.invalid');
    assert.match(result.ok ? '' : result.message, /^Proxy: it asks for credentials \(407\)/);
  });

  it('are used for http', async () => {
    const result = await check('http://workspace.invalid');
    assert.ok(
      seen.some((line) => line.includes('workspace.invalid')),
      seen.join('; '),
    );
    assert.ok(result.ok || result.message.startsWith('Proxy: '), JSON.stringify(result));
  });
});

async function setProxy(url: string | undefined): Promise<void> {
  await vscode.workspace.getConfiguration('http').update('proxy', url, vscode.ConfigurationTarget.Global);
}
