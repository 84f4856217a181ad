/** `npm test` on a Debian with nothing else on it: what a full machine has by chance cannot hide what the set-up misses. */
import fs from 'node:fs';
import path from 'node:path';
import { installDebianPackage } from './debian.ts';
import { root } from './paths.ts';
import { markOfInnerRun, run, runOrThrow } from './processes.ts';
import type { Report } from './report.ts';

const folder = path.join(root, '.cache', 'bare-machine');
/** A minimal Debian, made once; each run takes a copy. */
const base = path.join(folder, 'base');
/** On a machine without a mirror nearby, the rest does not wait longer than this. */
const makingLimitInSeconds = 480;
const testingLimitInSeconds = 2400;

/**
 * Runs `npm test` in a copy of the repository on a bare machine: with Node, npm and the certificates of this machine, and nothing else of
 * it. Adds the stages to the report.
 */
export async function testOnBareMachine(report: Report): Promise<void> {
  const machine = path.join(folder, `machine-${process.pid}`);
  try {
    await runOrThrow('cp', ['-a', base, machine]);
    await copyNode(machine);
    await copyRepository(path.join(machine, 'repository'));
    const script = [
      'mount -t proc proc "$1/proc"',
      'mount --rbind /dev "$1/dev"',
      `exec timeout --kill-after=10 ${testingLimitInSeconds} chroot "$1" /bin/sh -c 'cd /repository && exec npm test'`,
    ].join(' && ');
    // The mounts are gone with the last process of the namespace.
    await run('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', machine], {
      echo: true,
      env: bareEnvironment(),
    });
    report.addFrom(path.join(machine, 'repository', 'out', 'summary.json'), 'bare machine');
    keepScreenshots(path.join(machine, 'repository', 'out', 'screenshots'));
  } finally {
    fs.rmSync(machine, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Makes the minimal Debian unless there is one. Returns why there can be none, or `undefined`. */
export async function makeBareMachine(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'debootstrap needs Linux and root';
  if ((await run('unshare', ['--mount', 'true'])).code !== 0) return 'this machine does not allow new namespaces';
  if (fs.existsSync(path.join(base, 'made'))) return undefined;
  if ((await run('debootstrap', ['--version'])).code !== 0) {
    const failure = await installDebianPackage('debootstrap', 'it makes the bare machine that npm test runs on');
    if (failure !== undefined) return `there is no debootstrap, and ${failure}`;
  }
  fs.rmSync(base, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const debootstrap = ['debootstrap', '--variant=minbase', '--include=git,ca-certificates', 'bookworm', base];
  const made = await run('timeout', ['--kill-after=10', String(makingLimitInSeconds), ...debootstrap]);
  if (made.code !== 0) {
    fs.rmSync(base, { recursive: true, force: true });
    return `debootstrap exited with ${made.code}: ${made.stdout.trim().split('\n').at(-1) ?? ''}`;
  }
  // It reaches the network as this machine does.
  for (const file of ['/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs/ca-certificates.crt'])
    if (fs.existsSync(file)) fs.copyFileSync(file, path.join(base, file));
  fs.writeFileSync(path.join(base, 'made'), '');
  return undefined;
}

/** The system's own Node and npm, not those of node_modules. */
async function copyNode(machine: string): Promise<void> {
  const PATH = (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((place) => !place.includes('node_modules'))
    .join(path.delimiter);
  const env = { ...process.env, PATH };
  const node = (await run('sh', ['-c', 'command -v node'], { env })).stdout.trim();
  const modules = (await run('npm', ['root', '-g'], { env })).stdout.trim();
  fs.copyFileSync(fs.realpathSync(node), path.join(machine, 'usr/bin/node'));
  fs.cpSync(path.join(modules, 'npm'), path.join(machine, 'usr/lib/node_modules/npm'), { recursive: true });
  fs.symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', path.join(machine, 'usr/bin/npm'));
}

async function copyRepository(target: string): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of stdout.split('\0')) {
    if (file !== '' && fs.existsSync(path.join(root, file))) fs.cpSync(path.join(root, file), path.join(target, file));
  }
  // Tests ask git which files there are.
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all'],
  ])
    await runOrThrow('git', args, { cwd: target });
}

function keepScreenshots(from: string): void {
  if (fs.existsSync(from)) fs.cpSync(from, path.join(root, 'out', 'screenshots'), { recursive: true });
}

/** What a new machine has, and how this one reaches the network. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(?:https?|no|all)_proxy$|^PIP_(?:CERT|INDEX_URL|DEFAULT_TIMEOUT)$|^SSL_CERT_FILE$|^NODE_EXTRA_CA_CERTS$|^CI$/i.test(
      name,
    ),
  );
  const certificates = process.env['NODE_EXTRA_CA_CERTS'];
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    LANG: 'C.UTF-8',
    ...(certificates === undefined ? {} : { npm_config_cafile: certificates }),
    ...Object.fromEntries(kept),
    ...markOfInnerRun(),
  };
}
