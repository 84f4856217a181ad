/** The tests that install something, on a Debian with nothing else on it: what a full machine has by chance cannot hide what is missing. */
import fs from 'node:fs';
import path from 'node:path';
import { installDebianPackage } from './debian.ts';
import { root } from './paths.ts';
import { markOfInnerRun, run } from './processes.ts';
import { readResults, type Results } from './results.ts';

const folder = path.join(root, '.cache', 'bare-machine');
/** A minimal Debian, made once; each run takes a copy. */
const base = path.join(folder, 'base');
const tests = ['test/unit/service/runners/cluster.test.ts'];
/** A machine without a mirror nearby does not hold the rest up. */
const makingLimitInSeconds = 480;
const testingLimitInSeconds = 600;

/** Runs the set-up and the tests of libraries there; if that cannot be had, counts them as skipped and says why. */
export async function testOnBareMachine(): Promise<Results> {
  const reason = await makeBase();
  if (reason !== undefined) {
    console.log(`Skipped: ${reason}`);
    return { passed: 0, failed: 0, skipped: 1, failures: [], lines: [] };
  }
  const machine = path.join(folder, `machine-${process.pid}`);
  const repository = path.join(machine, 'repository');
  try {
    await must('cp', ['-a', base, machine]);
    await copyRepository(repository);
    const script = [
      'mount --bind "$1/node_modules" "$2/repository/node_modules"',
      'mount -t proc proc "$2/proc"',
      'cd "$2"',
      `exec timeout --kill-after=10 ${testingLimitInSeconds} chroot "$2" /bin/sh -c 'cd /repository && ` +
        `exec "$0" "$@"' "$3" test/support/run.mjs test:unit -- ${tests.join(' ')}`,
    ].join(' && ');
    // The mounts are gone with the last process of the namespace.
    const node = path.posix.join('/repository', path.relative(root, process.execPath));
    await run('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', root, machine, node], {
      echo: true,
      env: bareEnvironment(),
    });
    return readResults(
      path.join(repository, 'out', 'unit.json'),
      'The tests did not come to their end on a bare machine.',
    );
  } finally {
    fs.rmSync(machine, { recursive: true, force: true });
  }
}

/** Why there is none, or undefined if there is. */
async function makeBase(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'a bare machine is made with debootstrap, which needs Linux and root.';
  if (!path.relative(root, process.execPath).startsWith('node_modules'))
    return 'this Node is not the one of node_modules, and a bare machine has no other.';
  if ((await run('unshare', ['--mount', 'true'])).code !== 0) return 'this machine does not let namespaces be made.';
  if (fs.existsSync(path.join(base, 'made'))) return undefined;
  if ((await run('debootstrap', ['--version'])).code !== 0) {
    const failure = await installDebianPackage('debootstrap', 'it makes the bare machine that the set-up is tried on');
    if (failure !== undefined) return `there is no debootstrap, and ${failure}.`;
  }
  const codename = /^VERSION_CODENAME=(\w+)$/m.exec(fs.readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'bookworm';
  fs.rmSync(base, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const parameters = [
    '--kill-after=10',
    String(makingLimitInSeconds),
    'debootstrap',
    '--variant=minbase',
    '--include=git,ca-certificates',
    codename,
    base,
  ];
  const made = await run('timeout', parameters);
  if (made.code !== 0) {
    fs.rmSync(base, { recursive: true, force: true });
    return `debootstrap ended with ${made.code}: ${made.stdout.trim().split('\n').at(-1) ?? ''}`;
  }
  // Its way out is that of this machine.
  for (const file of ['/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs/ca-certificates.crt']) {
    if (fs.existsSync(file)) fs.copyFileSync(file, path.join(base, file));
  }
  fs.writeFileSync(path.join(base, 'made'), '');
  return undefined;
}

async function copyRepository(target: string): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of stdout.split('\0')) {
    if (file === '' || !fs.existsSync(path.join(root, file))) continue;
    fs.cpSync(path.join(root, file), path.join(target, file));
  }
  fs.mkdirSync(path.join(target, 'node_modules'), { recursive: true });
}

/** What a new machine has, and the way out of this one. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(?:https?|no|all)_proxy$|^PIP_(?:CERT|INDEX_URL|DEFAULT_TIMEOUT)$|^SSL_CERT_FILE$|^MILLRACE_/i.test(name),
  );
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    LANG: 'C.UTF-8',
    ...Object.fromEntries(kept),
    ...markOfInnerRun(),
  };
}

async function must(command: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await run(command, args);
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${stderr.trim().split('\n').at(-1) ?? ''}`);
}
