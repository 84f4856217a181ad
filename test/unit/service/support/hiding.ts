import { readdirSync, readFileSync } from 'node:fs';

/**
 * Ways in which a task's child hides: Python programs whose first parameter is the text by which a test finds what is
 * left. Each prints `ready` once the child is there.
 */
export interface HidingWay {
  readonly name: string;
  /** Needs the rights of root, as a container's user has them. */
  readonly needsRoot?: boolean;
  /** Statements that start the child. `stay` is the command that stays, a list. */
  readonly program: string;
}

const detached =
  'subprocess.Popen(stay, start_new_session=True, env={}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)';

export const hidingWays: readonly HidingWay[] = [
  { name: 'a child that holds the output', program: 'subprocess.Popen(stay)' },
  { name: 'a session of its own', program: 'subprocess.Popen(stay, start_new_session=True)' },
  { name: 'no environment', program: 'subprocess.Popen(stay, env={})' },
  {
    name: 'no environment and a session of its own, output held',
    program: 'subprocess.Popen(stay, env={}, start_new_session=True)',
  },
  { name: 'no environment, a session of its own, output closed', program: detached },
  {
    name: 'a shell that ends at once',
    program: 'subprocess.run(["sh", "-c", "env -i setsid " + " ".join(map(shlex.quote, stay)) + " &"])',
  },
  {
    name: 'nohup behind a shell',
    program: 'subprocess.run(["sh", "-c", "nohup env -i " + " ".join(map(shlex.quote, stay)) + " >/dev/null 2>&1 &"])',
  },
  {
    name: 'a daemon as in the books',
    program: [
      'if os.fork() == 0:',
      '  os.setsid()',
      '  if os.fork() == 0:',
      '    os.chdir("/")',
      '    os.closerange(0, 256)',
      '    os.execve(stay[0], stay, {})',
      '  os._exit(0)',
      'os.wait()',
    ].join('\n'),
  },
  {
    name: 'three sessions deep',
    program:
      'subprocess.run([sys.executable, "-c", "import os,sys\\nfor i in range(3):\\n  if os.fork(): ' +
      'os._exit(0)\\n  os.setsid()\\nos.execve(sys.argv[1], sys.argv[1:], {})", *stay], env={})',
  },
  {
    name: 'deaf to TERM',
    program:
      'subprocess.Popen(["sh", "-c", "trap \\"\\" TERM HUP INT; " + " ".join(map(shlex.quote, stay)) + "; true"], env={}, start_new_session=True)',
  },
  {
    name: 'stopped',
    program: 'child = subprocess.Popen(stay, env={}, start_new_session=True)\nos.kill(child.pid, signal.SIGSTOP)',
  },
  {
    name: 'a keeper of its own',
    program:
      'if os.fork() == 0:\n  os.setsid()\n  ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)\n  ' +
      'subprocess.run(["sh", "-c", "env -i setsid " + " ".join(map(shlex.quote, stay)) + " &"], env={})\n  ' +
      'time.sleep(0.2)\n  os.execve(stay[0], stay, {})',
  },
  {
    name: 'running away by forking',
    program:
      'if os.fork() == 0:\n  os.setsid()\n  while True:\n    if os.fork(): os._exit(0)\n    os.setsid()\n    time.sleep(0.002)',
  },
  {
    name: 'posing as a keeper',
    program: 'subprocess.Popen(stay, env={**os.environ, "MILLRACE_KEEPER": "1"}, start_new_session=True)',
  },
  {
    name: 'another user',
    needsRoot: true,
    program:
      'subprocess.run(["su", "nobody", "-s", "/bin/sh", "-c", "setsid " + " ".join(map(shlex.quote, stay)) + " &"])',
  },
  {
    name: 'another user with a login, output held',
    needsRoot: true,
    program: 'subprocess.run(["su", "nobody", "-l", "-s", "/bin/sh", "-c", " ".join(map(shlex.quote, stay)) + " &"])',
  },
  {
    name: 'a process namespace',
    needsRoot: true,
    program:
      'subprocess.Popen(["unshare", "--pid", "--fork", "--mount-proc", *stay], env={"PATH": "/usr/bin:/bin"}, start_new_session=True)',
  },
];

/** A Python file: hides a child in the way, prints `ready`, and ends by itself unless its second parameter is `stay`. */
export function hidingProgram(way: HidingWay): string {
  return [
    'import ctypes, os, shlex, shutil, signal, subprocess, sys, time',
    'stay = [shutil.which("python3") or sys.executable, "-c", "import time; time.sleep(600)", sys.argv[1]]',
    way.program,
    'time.sleep(0.3)',
    'print("ready", flush=True)',
    'if sys.argv[2:] == ["stay"]: time.sleep(600)',
    '',
  ].join('\n');
}

/** Command lines of the processes that carry the text. */
export function processesWith(text: string): string[] {
  const found: string[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      if (line.includes(text) && !/\) [ZX] /.test(readFileSync(`/proc/${name}/stat`, 'latin1')))
        found.push(`${name} ${line.replaceAll('\0', ' ')}`);
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
}
