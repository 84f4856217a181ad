/** What a VS Code is put together from, and what is left out or replaced so that no compiler or install script is needed. */
export type EditorVersion = '1.139' | '1.105';

/** The newest editor the suite is run in, and the oldest the manifest allows. */
export const newestEditor: EditorVersion = '1.139';
export const oldestEditor: EditorVersion = '1.105';

export interface EditorRecipe {
  /** Exact version of VS Code, and of desktop VS Code if that can be had. */
  vscode: string;
  /** Version of the npm package code-server, which carries that VS Code, and what npm must have received. */
  package: string;
  integrity: string;
  /** The Node its server and extension host run on: the one the desktop editor of that version embeds, or the next on npm. */
  node: string;
  /** Dependencies replaced by a version on the registry that installs without a compiler. */
  overrides: Record<string, string>;
}

export const editorRecipes: Record<EditorVersion, EditorRecipe> = {
  '1.139': {
    vscode: '1.139.1',
    package: '4.139.1',
    integrity: 'sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==',
    node: '24.21.0',
    overrides: {},
  },
  '1.105': {
    vscode: '1.105.1',
    package: '4.105.1',
    integrity: 'sha512-uYQwGkhOMR1/1vkuvj8oR6A03yBcWvxemR4hZdMnBLyZKreZFx4oGhUSVq9lXedXb4kc0jwtYfoeee1J0Q09bw==',
    node: '22.19.0',
    overrides: { '@vscode/ripgrep': '1.18.0', 'node-pty': '1.2.0-beta.15', '@parcel/watcher': '2.5.1' },
  },
};

/** Built-in extensions that nothing here uses. */
export function isUnusedExtension(name: string): boolean {
  return (
    name.startsWith('ms-vscode.') ||
    ['copilot', 'mermaid-markdown-features', 'mermaid-chat-features', 'microsoft-authentication'].includes(name)
  );
}

/** Dependencies of the editor's server that nothing here uses; several would need a compiler. */
export function isUnusedDependency(name: string): boolean {
  return (
    name.startsWith('@vscode/windows-') ||
    [
      '@github/copilot-sdk',
      '@vscode/copilot-api',
      '@microsoft/mxc-sdk',
      '@devcontainers/cli',
      'ssh2',
      'kerberos',
      '@vscode/sandbox-runtime',
      '@vscode/sqlite3',
    ].includes(name)
  );
}

/** The editor's logger in plain JavaScript: without it there would be no log files at all. */
export const spdlogReplacement = `'use strict';
const fs = require('node:fs');
const names = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'];
class Logger {
  constructor(name, file) { this.name = name; this.file = file; this.level = 2; this.bare = false; }
  write(level, text) {
    if (level < this.level || !this.file) return;
    const line = this.bare ? text : new Date().toISOString().replace('T', ' ').replace('Z', '') + ' [' + names[level] + '] ' + text + '\\n';
    try { fs.appendFileSync(this.file, line); } catch { this.file = undefined; }
  }
  trace(text) { this.write(0, text); }
  debug(text) { this.write(1, text); }
  info(text) { this.write(2, text); }
  warn(text) { this.write(3, text); }
  error(text) { this.write(4, text); }
  critical(text) { this.write(5, text); }
  getLevel() { return this.level; }
  setLevel(level) { this.level = level; }
  setPattern() { this.bare = false; }
  clearFormatters() { this.bare = true; }
  flush() {}
  drop() { this.file = undefined; }
}
exports.version = 1;
exports.Logger = Logger;
exports.setLevel = () => undefined;
exports.setFlushOn = () => undefined;
exports.shutdown = () => undefined;
exports.createRotatingLogger = async (name, file) => new Logger(name, file);
exports.createAsyncRotatingLogger = async (name, file) => new Logger(name, file);
`;

/** The extension host looks for its parent by itself too, so the native watchdog is not missed. */
export const watchdogReplacement = `'use strict';
exports.start = () => undefined;
`;

/**
 * The workbench seals secrets with a key that code-server's own front end would mint, and there is none here: no secret would outlive a
 * reload. Desktop VS Code keeps them, so this one keeps them in the browser's storage unsealed. Returns the workbench's code with that change.
 */
export function keepSecrets(workbench: string): string {
  const changed = workbench.replace(/([\w$]+)&&([\w$]+)\.supported\(\)\?new \2\(\1\):new ([\w$]+)/, 'new $3');
  if (changed === workbench)
    throw new Error('The place where the workbench chooses how to seal secrets was not found.');
  return changed;
}
