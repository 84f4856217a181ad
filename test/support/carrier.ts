import fs from 'node:fs';
import path from 'node:path';
import { root } from './paths.ts';
import { runOrThrow } from './processes.ts';

/** Packs an extension that does nothing but answer one command, `Empty: Activate`, to compare with or to hold tests. Returns the package's path. */
export async function packEmptyExtension(folder: string): Promise<string> {
  fs.mkdirSync(folder, { recursive: true });
  const manifest = {
    name: 'empty',
    displayName: 'Empty',
    publisher: 'millrace-tests',
    version: '0.0.1',
    license: 'MIT',
    engines: { vscode: '^1.105.0' },
    main: './extension.js',
    activationEvents: [],
    contributes: { commands: [{ command: 'empty.activate', title: 'Activate', category: 'Empty' }] },
  };
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(path.join(folder, 'extension.js'), "const vscode = require('vscode');\nexports.activate = (context) => { context.subscriptions.push(vscode.commands.registerCommand('empty.activate', () => undefined)); };\n");
  fs.writeFileSync(path.join(folder, 'README.md'), 'An empty extension.\n');
  fs.writeFileSync(path.join(folder, 'LICENSE'), 'MIT\n');
  const vsix = path.join(folder, 'empty.vsix');
  const vsce = path.join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
  await runOrThrow(process.execPath, [vsce, 'package', '--no-dependencies', '--allow-missing-repository', '--out', vsix], { cwd: folder });
  return vsix;
}
