import fs from 'node:fs';
import path from 'node:path';
import { root } from './paths.ts';
import { runOrThrow } from './processes.ts';

/** Packs an extension that does nothing but answer one command, `Empty: Activate`, to compare with. Returns the package's path. */
export function packEmptyExtension(folder: string): Promise<string> {
  const contributes = { commands: [{ command: 'empty.activate', title: 'Activate', category: 'Empty' }] };
  return packExtension(
    folder,
    'Empty',
    contributes,
    "vscode.commands.registerCommand('empty.activate', () => undefined)",
  );
}

/** Packs an extension that does nothing but show one row, `The row`, in the view `One Row`, to compare with. Returns the package's path. */
export function packOneRowExtension(folder: string): Promise<string> {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(
    path.join(folder, 'row.svg'),
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M1 7h14v2H1z"/></svg>\n',
  );
  const contributes = {
    viewsContainers: { activitybar: [{ id: 'one-row', title: 'One Row', icon: 'row.svg' }] },
    views: { 'one-row': [{ id: 'one-row.rows', name: 'One Row', icon: 'row.svg' }] },
  };
  return packExtension(
    folder,
    'One Row',
    contributes,
    "vscode.window.registerTreeDataProvider('one-row.rows', { getChildren: () => ['The row'], getTreeItem: (row) => new vscode.TreeItem(row) })",
  );
}

/** Packs an extension with a view of so many plain rows, `Row 1` and so on, to compare with: `Many Rows`. Returns the package's path. */
export function packManyRowsExtension(folder: string, rows: number): Promise<string> {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(
    path.join(folder, 'row.svg'),
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M1 7h14v2H1z"/></svg>\n',
  );
  const contributes = {
    viewsContainers: { activitybar: [{ id: 'many-rows', title: 'Many Rows', icon: 'row.svg' }] },
    views: { 'many-rows': [{ id: 'many-rows.rows', name: 'Many Rows', icon: 'row.svg' }] },
  };
  const provider =
    `{ getChildren: (row) => (row === undefined ? Array.from({ length: ${rows} }, (_, index) => 'Row ' + ` +
    '(index + 1)) : []), getTreeItem: (row) => new vscode.TreeItem(row) }';
  return packExtension(
    folder,
    'Many Rows',
    contributes,
    `vscode.window.registerTreeDataProvider('many-rows.rows', ${provider})`,
  );
}

/** What the host of all extensions did between the commands `Probe: Begin` and `Probe: End`. */
export interface HostWork {
  /** Processor time of the longest stretch in which nothing else had a turn. */
  readonly longestBlockInMs: number;
  /** Processor time of the host's own thread. */
  readonly cpuInMs: number;
  /** More memory than before, after the collector has run if it can be asked to. */
  readonly memoryInMB: number;
}

/** Packs an extension that measures the extension host, into the file. Returns the package's path. */
export function packHostProbe(folder: string, resultFile: string): Promise<string> {
  const contributes = {
    commands: [
      { command: 'probe.begin', title: 'Begin', category: 'Probe' },
      { command: 'probe.end', title: 'End', category: 'Probe' },
    ],
  };
  fs.mkdirSync(folder, { recursive: true });
  fs.copyFileSync(path.join(root, 'test', 'support', 'hostProbe.cjs'), path.join(folder, 'probe.cjs'));
  return packExtension(
    folder,
    'Probe',
    contributes,
    `require('./probe.cjs').register(vscode, ${JSON.stringify(resultFile)})`,
  );
}

/** @param registration an expression that gives a disposable, run by the activation */
export async function packExtension(
  folder: string,
  displayName: string,
  contributes: object,
  registration: string,
  more: object = {},
): Promise<string> {
  fs.mkdirSync(folder, { recursive: true });
  const name = displayName.toLowerCase().replace(' ', '-');
  const manifest = {
    name,
    displayName,
    publisher: 'millrace-tests',
    version: '0.0.1',
    license: 'MIT',
    engines: { vscode: '^1.105.0' },
    main: './extension.js',
    activationEvents: [],
    contributes,
    ...more,
  };
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(
    path.join(folder, 'extension.js'),
    `const vscode = require('vscode');\nexports.activate = (context) => { context.subscriptions.push(${registration}); };\n`,
  );
  fs.writeFileSync(path.join(folder, 'README.md'), 'An extension to compare with.\n');
  fs.writeFileSync(path.join(folder, 'LICENSE'), 'MIT\n');
  const vsix = path.join(folder, `${name}.vsix`);
  const vsce = path.join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
  await runOrThrow(
    process.execPath,
    [vsce, 'package', '--no-dependencies', '--allow-missing-repository', '--out', vsix],
    { cwd: folder },
  );
  return vsix;
}
