import fs from 'node:fs';
import type { RunningEditor } from './editor.ts';

interface Found {
  pid: number;
  command: string;
  /** Those that it descends from, the nearest first. */
  above: { command: string }[];
}

const isHost = ({ command }: { command: string }): boolean => command.includes('--type=extensionHost');

/** Command lines of everything that descends from an editor's extension hosts. Linux only; elsewhere undefined. */
export function extensionHostChildren(editor: RunningEditor): string[] | undefined {
  return processesOf(editor)?.flatMap(({ command, above }) => (above.some(isHost) ? [command] : []));
}

/** An editor's processes whose command line holds the text. Linux only; elsewhere undefined. */
export function editorProcesses(editor: RunningEditor, text: string): number[] | undefined {
  return processesOf(editor)?.flatMap(({ pid, command }) => (command.includes(text) ? [pid] : []));
}

function processesOf(editor: RunningEditor): Found[] | undefined {
  if (process.platform !== 'linux') return undefined;
  const parents = new Map<number, { parent: number; command: string }>();
  for (const name of fs.readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    try {
      const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
      const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
      parents.set(pid, { parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]), command });
    } catch {
      // It ended between the two looks.
    }
  }
  const chain = (pid: number): { parent: number; command: string }[] => {
    const found = [];
    for (let one = parents.get(pid); one !== undefined && found.length < 64; one = parents.get(one.parent))
      found.push(one);
    return found;
  };
  const isServer = (command: string): boolean =>
    command.includes('server-main.js') && command.includes(editor.profileFolder);
  return [...parents].flatMap(([pid, { command }]) => {
    const above = chain(pid).slice(1);
    return above.some((one) => isServer(one.command)) ? [{ pid, command, above }] : [];
  });
}
