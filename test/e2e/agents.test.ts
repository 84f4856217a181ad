import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { packExtension } from '../support/carrier.ts';
import { eventually } from '../support/eventually.ts';
import { type JobsServer, startJobsServer } from '../support/jobsServer.ts';
import { vsixFile } from '../support/paths.ts';
import { type EditorWindow, openWindow } from '../support/window.ts';

/** Registers a command with which an agent plans a deploy by the editor's server for it, and applies the plan. */
const agent = `vscode.commands.registerCommand('agent.deploy', async () => {
  const call = async (name, input) => {
    const tool = vscode.lm.tools.find((each) => each.name.startsWith('mcp_') && each.name.endsWith(name));
    const { content } = await vscode.lm.invokeTool(tool.name, { input });
    return content.map((part) => part.value ?? '').join('');
  };
  const answers = [await call('list_jobs', { profile: 'Team' })];
  answers.push(await call('plan_deploy', { path: 'etl.job.yml', profile: 'Team' }));
  const plan_id = /Plan (\\S+)\\./.exec(answers[1])?.[1] ?? '';
  answers.push(await call('apply_plan', { plan_id }));
  const file = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, 'answers.txt');
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(answers.join('\\n---\\n')));
})`;
const contributes = { commands: [{ command: 'agent.deploy', title: 'Deploy', category: 'Agent' }] };

describe('Agents', () => {
  let workspace: string;
  let window: EditorWindow;
  let server: JobsServer;
  const answers = (): string => fs.readFileSync(path.join(workspace, 'answers.txt'), 'utf8');
  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-agents-'));
    fs.writeFileSync(path.join(workspace, 'AGENTS.md'), '# Our rules\n');
    const job = 'name: nightly\nexisting_cluster_id: c\nspark_python_task: {python_file: /etl.py}\nmax_retries: 2\n';
    fs.writeFileSync(path.join(workspace, 'etl.job.yml'), job);
    server = await startJobsServer();
    server.jobs.set(7, { name: 'nightly' });
    const profile = { id: 'team', name: 'Team', baseUrl: server.url, authKind: 'none' };
    window = await openWindow({
      vsix: [vsixFile, await packExtension(path.join(workspace, '.agent'), 'Agent', contributes, agent)],
      workspace,
      settings: { 'chat.disableAIFeatures': false, 'millrace.profiles': [profile] },
    });
  });
  after(async () => {
    await window.close();
    await server.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  it("of the editor's chat get the tools of this machine", async () => {
    for (const action of ['Start Server', 'Show Output']) {
      await window.runCommand('MCP: List Servers');
      for (const row of ['Millrace on this machine', action])
        await window.quickPickRows().filter({ hasText: row }).first().click();
    }
    await window.page.getByText('Discovered 10 tools').first().waitFor();
  });

  it('deploy a plan to another service only by a click of the user', async () => {
    await window.runCommand('Agent: Deploy');
    // The editor's own question about the tool is not enough.
    await window.dialog().getByRole('button', { name: 'Yes' }).click();
    await window.dialog().filter({ hasText: 'An agent asks' }).waitFor();
    await window.screenshot('agents-deploy');
    assert.deepEqual(server.mutations, []);
    await window.dialog().getByRole('button', { name: 'Update This Job' }).click();
    await eventually(() => assert.match(answers(), /nightly[\s\S]*would change[\s\S]*The user deployed/));
    assert.deepEqual(server.mutations, ['reset 7']);
  });

  it('outside of it are set up by the changes that the user ticks and applies', async () => {
    await window.runCommand('Millrace: Set Up for Agents…');
    const preview = window.page.locator('.refactor-preview, .bulk-edit-panel').first();
    for (const file of ['.mcp.json', 'SKILL.md', 'AGENTS.md'])
      await preview.locator('.monaco-list-row', { hasText: file }).first().locator('.edit-checkbox').click();
    await window.screenshot('agents-set-up');
    await preview.getByRole('button', { name: 'Apply' }).click();
    const read = (name: string): string => fs.readFileSync(path.join(workspace, name), 'utf8');
    await eventually(() => assert.match(read('AGENTS.md'), /^# Our rules\n.*SKILL\.md/s));
    await eventually(() => assert.match(read('.agents/skills/millrace/SKILL.md'), /^---\nname: millrace\n/));
    const { mcpServers } = JSON.parse(read('.mcp.json')) as { mcpServers: Record<string, unknown> };
    assert.deepEqual(mcpServers['millrace'], { command: 'millrace', args: ['mcp'] });
  });
});
