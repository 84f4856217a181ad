import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { vsixFile } from '../support/paths.ts';
import { type EditorWindow, openWindow } from '../support/window.ts';

describe('Agents', () => {
  let workspace: string;
  let window: EditorWindow;
  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-agents-'));
    fs.writeFileSync(path.join(workspace, 'AGENTS.md'), '# Our rules\n');
    window = await openWindow({ vsix: vsixFile, workspace, settings: { 'chat.disableAIFeatures': false } });
  });
  after(async () => {
    await window.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  it("of the editor's chat get the tools of this machine", async () => {
    for (const action of ['Start Server', 'Show Output']) {
      await window.runCommand('MCP: List Servers');
      for (const row of ['Millrace on this machine', action])
        await window.quickPickRows().filter({ hasText: row }).first().click();
    }
    await window.page.getByText('Discovered 10 tools').waitFor();
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
