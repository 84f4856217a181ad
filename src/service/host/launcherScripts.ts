/** Scripts that run the program `millrace`, by their file names. */
export interface LauncherScripts {
  readonly millrace: string;
  readonly 'millrace.cmd': string;
}

export interface ProgramPlaces {
  /** The editor's own executable, which is a Node if it is told so. */
  readonly node: string;
  /** `millrace.js` of the extension. */
  readonly program: string;
  /** The user's home folder. */
  readonly home: string;
}

/**
 * For shells, and for Windows, whose own shell reads scripts in a code page of its own: names of users, which are where other
 * letters stand most, are left to a variable there.
 */
export function launcherScripts({ node, program, home }: ProgramPlaces): LauncherScripts {
  const [editor, script] = [node, program].map((path) => `'${path.replaceAll("'", String.raw`'\''`)}'`);
  const [windowsEditor, windowsScript] = [node, program].map((path) => `"${cmdPath(path, home)}"`);
  return {
    millrace: [
      '#!/bin/sh',
      '# Written by the extension Millrace: its command line, with the Node of the editor.',
      `if [ -x ${editor} ]; then`,
      `  ELECTRON_RUN_AS_NODE=1 exec ${editor} ${script} "$@"`,
      'fi',
      `exec node ${script} "$@"`,
      '',
    ].join('\n'),
    'millrace.cmd': [
      '@echo off',
      'rem Written by the extension Millrace: its command line, with the Node of the editor.',
      // If the user has turned delayed expansion on, it would eat each "!" of a word or a path.
      'setlocal EnableExtensions DisableDelayedExpansion',
      `if not exist ${windowsEditor} goto path`,
      'set "ELECTRON_RUN_AS_NODE=1"',
      `${windowsEditor} ${windowsScript} %*`,
      'exit /b %errorlevel%',
      ':path',
      `node ${windowsScript} %*`,
      'exit /b %errorlevel%',
      '',
    ].join('\r\n'),
  };
}

function cmdPath(path: string, home: string): string {
  const isInHome = home !== '' && path.toLowerCase().startsWith(`${home.toLowerCase()}\\`);
  const [start, rest] = isInHome ? ['%USERPROFILE%', path.slice(home.length)] : ['', path];
  return start + rest.replaceAll('%', '%%');
}
