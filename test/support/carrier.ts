import fs from 'node:fs';
import path from 'node:path';
import { root } from './paths.ts';
import { runOrThrow } from './processes.ts';

/** Packs an extension that does nothing but answer one command, `Empty: Activate`, to compare with. Returns the package's path. */
export function packEmptyExtension(folder: string): Promise<string> {
  const contributes = { commands: [{ command: 'empty.activate', title: 'Activate', category: 'Empty' }] };
  return pack(folder, 'Empty', contributes, "vscode.commands.registerCommand('empty.activate', () => undefined)");
}

/** Packs an extension that does nothing but show one row, `The row`, in the view `One Row`, to compare with. Returns the package's path. */
export function packOneRowExtension(folder: string): Promise<string> {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'row.svg'), '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M1 7h14v2H1z"/></svg>\n');
  const contributes = {
    viewsContainers: { activitybar: [{ id: 'one-row', title: 'One Row', icon: 'row.svg' }] },
    views: { 'one-row': [{ id: 'one-row.rows', name: 'One Row', icon: 'row.svg' }] },
  };
  return pack(folder, 'One Row', contributes, "vscode.window.registerTreeDataProvider('one-row.rows', { getChildren: () => ['The row'], getTreeItem: (row) => new vscode.TreeItem(row) })");
}

/** @param registration an expression that gives a disposable, run by the activation */
async function pack(folder: string, displayName: string, contributes: object, registration: string): Promise<string> {
  fs.mkdirSync(folder, { recursive: true });
  const name = displayName.toLowerCase().replace(' ', '-');
  const manifest = { name, displayName, publisher: 'millrace-tests', version: '0.0.1', license: 'MIT', engines: { vscode: '^1.105.0' }, main: './extension.js', activationEvents: [], contributes };
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(path.join(folder, 'extension.js'), `const vscode = require('vscode');\nexports.activate = (context) => { context.subscriptions.push(${registration}); };\n`);
  fs.writeFileSync(path.join(folder, 'README.md'), 'An extension to compare with.\n');
  fs.writeFileSync(path.join(folder, 'LICENSE'), 'MIT\n');
  const vsix = path.join(folder, `${name}.vsix`);
  const vsce = path.join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
  await runOrThrow(process.execPath, [vsce, 'package', '--no-dependencies', '--allow-missing-repository', '--out', vsix], { cwd: folder });
  return vsix;
}
