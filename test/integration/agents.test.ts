import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';

const textOf = async (name: string, input: object): Promise<string> => {
  const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
  return content.map((part) => (part as vscode.LanguageModelTextPart).value).join('');
};

describe('Agents of the editor', () => {
  before(async () => {
    await vscode.extensions.getExtension('millrace.millrace')?.activate();
    // The rest of the extension is built in the next turn, or by the first command.
    await vscode.commands.executeCommand('millrace.profile.choose', 'local');
  });

  it('are offered ten tools, which answer', async () => {
    assert.equal(vscode.lm.tools.filter(({ name }) => name.startsWith('millrace_')).length, 10);
    const text = await textOf('millrace_next_runs', { quartz_cron_expression: '0 0 2 * * ?', count: 1 });
    assert.match(text, /T02:00:00/);
  });

  describe('that use an endpoint of a profile as a model', () => {
    let server: Server;
    let asked: { messages: unknown[]; tools?: unknown[] };
    before(async () => {
      server = createServer((request, response) => {
        if (request.method === 'GET') {
          const endpoints = [
            { name: 'writer', task: 'llm/v1/chat' },
            { name: 'vectors', task: 'llm/v1/embeddings' },
          ];
          response.end(JSON.stringify({ endpoints }));
          return;
        }
        let body = '';
        request.on('data', (data) => (body += String(data)));
        request.on('end', () => {
          asked = JSON.parse(body) as typeof asked;
          response.setHeader('content-type', 'text/event-stream');
          const call = { index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } };
          for (const [delta, reason] of [
            [{ role: 'assistant', content: 'Hello' }, null],
            [{ tool_calls: [call] }, null],
            [{}, 'tool_calls'],
          ])
            response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`);
          response.end('data: [DONE]\n\n');
        });
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const settings = vscode.workspace.getConfiguration('millrace');
      const global = vscode.ConfigurationTarget.Global;
      await settings.update('profiles', [{ id: 'models', name: 'Models', baseUrl, authKind: 'none' }], global);
      await vscode.commands.executeCommand('millrace.profile.choose', 'models');
    });
    after(async () => {
      await vscode.commands.executeCommand('millrace.profile.choose', 'local');
      await vscode.workspace
        .getConfiguration('millrace')
        .update('profiles', undefined, vscode.ConfigurationTarget.Global);
      server.close();
    });

    it('see its chat endpoints, and get text and calls of tools', async () => {
      const models = await vscode.lm.selectChatModels({ vendor: 'millrace' });
      assert.deepEqual(
        models.map(({ name }) => name),
        ['writer'],
      );
      const question = vscode.LanguageModelChatMessage.User('Hi');
      const tools = [{ name: 'look', description: 'Looks', inputSchema: { type: 'object', properties: {} } }];
      const answer = await models[0]?.sendRequest([question], { tools });
      const parts: unknown[] = [];
      for await (const part of answer?.stream ?? []) parts.push(part);
      assert.deepEqual(parts, [
        new vscode.LanguageModelTextPart('Hello'),
        new vscode.LanguageModelToolCallPart('c1', 'look', { at: 1 }),
      ]);
      assert.deepEqual(asked.messages, [{ role: 'user', content: 'Hi' }]);
      assert.equal(asked.tools?.length, 1);
    });
  });
});
