import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { packExtension } from '../support/carrier.ts';
import { chooseProfile } from '../support/chooseProfile.ts';
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

const mine = `# The nightly load, owned by Ops.
name: nightly # kept
existing_cluster_id: c1
spark_python_task:
  python_file: dfs:/main.py
  parameters: [--day, today] # of UTC
`;

describe('With a shared service', () => {
  let workspace: string;
  let window: EditorWindow;
  let server: JobsServer;
  const answers = (): string => fs.readFileSync(path.join(workspace, 'answers.txt'), 'utf8');
  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-shared-'));
    fs.writeFileSync(path.join(workspace, 'AGENTS.md'), '# Our rules\n');
    const job = 'name: etl\nexisting_cluster_id: c\nspark_python_task: {python_file: /etl.py}\nmax_retries: 2\n';
    fs.writeFileSync(path.join(workspace, 'etl.job.yml'), job);
    fs.writeFileSync(path.join(workspace, 'nightly.job.yml'), mine);
    server = await startJobsServer();
    server.jobs.set(7, { name: 'etl' });
    const profile = { id: 'team', name: 'Team', baseUrl: server.url, authKind: 'none' };
    window = await openWindow({
      vsix: [vsixFile, await packExtension(path.join(workspace, '.agent'), 'Agent', contributes, agent)],
      workspace,
      size: { width: 1500, height: 950 },
      settings: {
        'chat.disableAIFeatures': false,
        'millrace.profiles': [profile],
      },
    });
  });
  after(async () => {
    await window?.close();
    await server?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  describe('agents', () => {
    it("of the editor's chat get the tools of this machine", async () => {
      const choose = async (action: string): Promise<void> => {
        await window.runCommand('MCP: List Servers');
        for (const row of ['Millrace on this machine', action])
          await window.quickPickRows().filter({ hasText: row }).first().click({ timeout: 10_000 });
      };
      await choose('Start Server');
      // The server has an output of its own once it has started.
      await eventually(async () => {
        await choose('Show Output');
        await window.page.getByText('Discovered 10 tools').first().waitFor({ timeout: 10_000 });
      });
    });

    it('deploy a plan to another service only by a click of the user', async () => {
      await window.runCommand('Agent: Deploy');
      // The editor's own question about the tool is not enough.
      await window.dialog().getByRole('button', { name: 'Yes' }).click();
      await window.dialog().filter({ hasText: 'An agent asks' }).waitFor();
      assert.deepEqual(server.mutations, []);
      await window.dialog().getByRole('button', { name: 'Update This Job' }).click();
      await eventually(() => assert.match(answers(), /etl[\s\S]*would change[\s\S]*The user deployed/));
      assert.deepEqual(server.mutations, ['reset 7']);
    });

    it('outside of it are set up by the changes that the user ticks and applies', async () => {
      await window.runCommand('Millrace: Set Up for Agents…');
      const preview = window.page.locator('.refactor-preview, .bulk-edit-panel').first();
      for (const file of ['.mcp.json', 'SKILL.md', 'AGENTS.md'])
        await preview.locator('.monaco-list-row', { hasText: file }).first().locator('.edit-checkbox').click();
      await preview.getByRole('button', { name: 'Apply' }).click();
      const read = (name: string): string => fs.readFileSync(path.join(workspace, name), 'utf8');
      await eventually(() => assert.match(read('AGENTS.md'), /^# Our rules\n.*SKILL\.md/s));
      await eventually(() => assert.match(read('.agents/skills/millrace/SKILL.md'), /^---\nname: millrace\n/));
      const { mcpServers } = JSON.parse(read('.mcp.json')) as { mcpServers: Record<string, unknown> };
      assert.deepEqual(mcpServers['millrace'], { command: 'millrace', args: ['mcp'] });
    });
  });

  describe('a job file', () => {
    before(async () => {
      await chooseProfile(window, 'Team');
      await window.openView('Millrace');
      await window.viewHeader('Chat').click();
    });

    const onDisk = (name = 'nightly.job.yml'): string => fs.readFileSync(path.join(workspace, name), 'utf8');
    const row = (name: string | RegExp) => window.treeRows('Jobs').filter({ hasText: name });
    const lens = (text: string) => window.page.locator('.codelens-decoration a', { hasText: text });
    const deploy = () => lens('Deploy').first().click();
    /** Somebody else's change, and the look that finds it. */
    const colleague = async (change: object): Promise<void> => {
      server.jobs.set(8, { ...server.jobs.get(8), ...change });
      await window.runCommand('Millrace: Refresh');
    };
    const write = async (text: string, line: string): Promise<void> => {
      fs.writeFileSync(path.join(workspace, 'nightly.job.yml'), text);
      await window.editorLines().filter({ hasText: line }).first().waitFor();
    };

    it('describes the changes of a deploy beforehand', async () => {
      await window.openFile('nightly.job.yml');
      await deploy();
      await window.notifications().filter({ hasText: 'Deployed "nightly" to Team as job 8' }).waitFor();
      await write(`${mine}max_retries: 2\n`, 'max_retries');
      await deploy();
      const question = window.dialog().filter({ hasText: 'Deploy nightly.job.yml to job "nightly" (8) on Team?' });
      await question.waitFor();
      assert.match(await question.innerText(), /• max_retries: 2 is added/);
      await question.getByRole('button', { name: 'Deploy', exact: true }).click();
      await eventually(() => assert.equal(server.jobs.get(8)?.['max_retries'], 2));
    });

    it('marks file, lens and row after somebody else has changed the job', async () => {
      await colleague({ timeout_seconds: 99 });
      await row('nightly')
        .filter({ hasText: '≠' })
        .filter({ hasText: 'changed since its deploy, seen just now' })
        .waitFor();
      await lens('Changed on Team, seen just now').waitFor();
    });

    it('takes that change after a comparison, and keeps its comments', async () => {
      await window.contextMenu(row('nightly').first(), 'Pull Job into File');
      await window.quickPickRows().filter({ hasText: 'Pull into the file' }).waitFor();
      await window.page.locator('.monaco-diff-editor').first().waitFor();
      await window.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
      assert.equal(onDisk(), `${mine}max_retries: 2\n`, 'nothing is written before the answer');
      await window.pick('Pull into the file');
      await eventually(() => assert.equal(onDisk(), `${mine}max_retries: 2\ntimeout_seconds: 99\n`));
      await row('nightly').filter({ hasText: '≠' }).waitFor({ state: 'detached' });
      await lens('Changed on Team').waitFor({ state: 'detached' });
    });

    it('shows the change on the job page, and deploys or pulls from there', async () => {
      await window.contextMenu(row('nightly').first(), 'Open Job');
      const page = await window.webview('nightly');
      await page.getByText('nightly.job.yml · In sync with Team').waitFor();
      await colleague({ timeout_seconds: 100 });
      await page.getByText('nightly.job.yml · Changed on Team since the last deploy').waitFor();
      await page
        .getByRole('row', { name: 'timeout_seconds 99 100 99 Changes it, compared with the change there' })
        .waitFor();
      const before = onDisk();
      await window.openFile('nightly.job.yml');
      await write(before.replace('max_retries: 2', 'max_retries: 3'), 'max_retries: 3');
      await window.page.locator('.tab', { hasText: /^nightly$/ }).click();
      await page.getByText('nightly.job.yml · Changed here and on Team since the last deploy').waitFor();
      await page.getByRole('button', { name: 'Pull into File' }).click();
      await window.pick('Merge: keep what only the file changed');
      await eventually(() => assert.match(onDisk(), /max_retries: 3\n?.*timeout_seconds: 100/s));
      await window.page.locator('.tab', { hasText: /^nightly$/ }).click();
      await page.getByText('nightly.job.yml · Changed here since the last deploy to Team').waitFor();
      await page.getByRole('button', { name: 'Deploy', exact: true }).click();
      await window.dialog().getByRole('button', { name: 'Deploy', exact: true }).click();
      await page.getByText('nightly.job.yml · In sync with Team').waitFor();
      assert.equal(server.jobs.get(8)?.['max_retries'], 3);
    });

    it('merges changes of both sides that a deploy would have undone', async () => {
      await window.openFile('nightly.job.yml');
      await colleague({ email_notifications: { on_failure: ['ops@example.com'] } });
      await lens('Changed on Team').waitFor();
      const ours = onDisk().replace('max_retries: 3', 'max_retries: 4 # more');
      await write(ours, 'more');
      await deploy();
      const question = window
        .dialog()
        .filter({ hasText: 'has changed since the last deploy of nightly.job.yml from here' });
      await question.waitFor();
      await question.getByRole('button', { name: 'Merge into the File' }).click();
      await window.page.locator('.monaco-diff-editor').first().waitFor();
      await window.runCommand('File: Save');
      await eventually(() =>
        assert.equal(onDisk(), `${ours}email_notifications:\n  on_failure:\n    - ops@example.com\n`),
      );
      await window.openFile('nightly.job.yml');
      await deploy();
      await window.dialog().getByRole('button', { name: 'Deploy', exact: true }).click();
      await eventually(() => assert.equal(server.jobs.get(8)?.['max_retries'], 4));
      assert.deepEqual(server.jobs.get(8)?.['email_notifications'], { on_failure: ['ops@example.com'] });
    });

    it('is checked by the command line in the terminal', async () => {
      await window.page.keyboard.press('Control+Shift+`');
      const terminal = window.page.locator('.terminal.xterm').filter({ visible: true });
      await terminal.first().waitFor();
      fs.writeFileSync(path.join(workspace, 'broken.job.yml'), `${mine}max_retries: two\n`);
      await eventually(async () => {
        if (!fs.existsSync(path.join(workspace, 'out.txt'))) {
          await terminal.first().click();
          await window.page.keyboard.type('millrace check . ; millrace check . > out.txt 2>&1\n');
        }
        assert.match(onDisk('out.txt'), /^broken\.job\.yml:7:14: error: .*3 files: 1 error, 0 warnings$/ms);
      }, 'what the command prints');
    });

    it('is checked by a build task whose problems are marked', async () => {
      await window.runCommand('Tasks: Run Build Task');
      const task = window.quickPickRows().filter({ hasText: 'millrace: check' });
      await task.first().click();
      // The terminal of the task comes to the front once it starts, over the list of problems.
      await eventually(async () => {
        const problems = await window.problems();
        assert.match((await problems.allInnerTexts()).join('\n'), /broken\.job\.yml[\s\S]*max_retries/);
      });
    });
  });
});
