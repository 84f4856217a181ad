import * as vscode from 'vscode';
import { AppError } from '../../shared/errors.ts';

/** The line of AGENTS.md that leads to the skill. */
const pointer = 'Jobs (`*.job.yml`): see `.agents/skills/millrace/SKILL.md`; check and run them with `millrace`.';

/**
 * Prepares the workspace for agents outside of the editor's chat: the server in `.mcp.json`, the skill, and a line in `AGENTS.md`. The editor
 * shows the changes, and makes them only if the user applies them.
 * @throws AppError if there is no folder, or `.mcp.json` is not JSON
 */
export async function setUpForAgents(context: vscode.ExtensionContext): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (!folder) throw new AppError('invalid', vscode.l10n.t('Open a folder first; nothing was written.'));
  const skill = await textOf(
    vscode.Uri.joinPath(context.extensionUri, 'media', 'agents', 'skills', 'millrace', 'SKILL.md'),
  );
  const agents = await textOf(vscode.Uri.joinPath(folder, 'AGENTS.md'));
  const wanted: readonly (readonly [path: string, text: string])[] = [
    ['.mcp.json', withServer(await textOf(vscode.Uri.joinPath(folder, '.mcp.json')))],
    ['.agents/skills/millrace/SKILL.md', skill],
    ['AGENTS.md', agents.includes(pointer) ? agents : `${agents}${/(^|\n)$/.test(agents) ? '' : '\n'}${pointer}\n`],
  ];
  const edit = new vscode.WorkspaceEdit();
  const changed: vscode.Uri[] = [];
  for (const [path, text] of wanted) {
    const file = vscode.Uri.joinPath(folder, path);
    const before = await textOf(file);
    if (before === text) continue;
    const metadata = { needsConfirmation: true, label: vscode.l10n.t('Set Up for Agents') };
    edit.createFile(file, { ignoreIfExists: true }, metadata);
    // The preview shows what is added to a text as an addition.
    const added = text.startsWith(before) ? text.slice(before.length) : undefined;
    const end = new vscode.Position(before.split('\n').length, 0);
    if (added === undefined) edit.replace(file, new vscode.Range(new vscode.Position(0, 0), end), text, metadata);
    else edit.insert(file, end, added, metadata);
    changed.push(file);
  }
  if (changed.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('The workspace is already set up for agents.'));
    return;
  }
  if (!(await vscode.workspace.applyEdit(edit))) return;
  for (const file of changed) await vscode.workspace.save(file);
}

/** @throws AppError if the text is not a JSON object */
function withServer(text: string): string {
  try {
    const given = (text.trim() === '' ? {} : JSON.parse(text)) as { mcpServers?: object };
    const mcpServers = { ...given.mcpServers, millrace: { command: 'millrace', args: ['mcp'] } };
    return `${JSON.stringify({ ...given, mcpServers }, undefined, 2)}\n`;
  } catch (error) {
    throw new AppError('invalid', vscode.l10n.t('.mcp.json is not JSON; nothing was written.'), {
      cause: error,
      remedy: vscode.l10n.t('Correct it, then try again.'),
    });
  }
}

async function textOf(file: vscode.Uri): Promise<string> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return '';
    throw error;
  }
}
