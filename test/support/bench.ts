/**
 * For files in `test/bench/*.bench.ts`: each is run by itself with Node, compares with a peer in the same run, and records its figures.
 *
 *   const ours = measure(() => parseJson(text));      // milliseconds of one call, the median of many
 *   const peer = measure(() => JSON.parse(text));
 *   recordFigures('json', [{ name: 'every integer safe', ours, peer, unit: 'ms', goal: 1.3 }]);
 */
import fs from 'node:fs';
import path from 'node:path';
import { npmEnvironment } from './editorAssembly.ts';
import { out, root } from './paths.ts';
import { runOrThrow } from './processes.ts';

export interface Figure {
  name: string;
  ours: number;
  /** What ours is compared with. */
  peer: number;
  peerName?: string;
  unit: string;
  /** The ratio ours / peer must not be above this. */
  goal?: number;
}

export const benchFile = path.join(out, 'bench.json');

/** Prints the figures and adds them to out/bench.json under the bench's name. */
export function recordFigures(bench: string, figures: readonly Figure[]): void {
  const all = readFigures();
  all[bench] = figures.map((figure) => ({ ...figure, ratio: ratioOf(figure) }));
  fs.mkdirSync(out, { recursive: true });
  fs.writeFileSync(benchFile, `${JSON.stringify(all, undefined, 2)}\n`);
  for (const figure of figures) {
    const goal =
      figure.goal === undefined ? '' : ` (goal: at most ${figure.goal}, ${isMissed(figure) ? 'MISSED' : 'kept'})`;
    console.log(
      `${bench}: ${figure.name}: ${round(figure.ours)} ${figure.unit} against ${round(figure.peer)} ` +
        `${figure.unit}${figure.peerName === undefined ? '' : ` of ${figure.peerName}`}: ` +
        `${round(ratioOf(figure))} times${goal}`,
    );
  }
}

export function readFigures(): Record<string, (Figure & { ratio: number })[]> {
  try {
    return JSON.parse(fs.readFileSync(benchFile, 'utf8')) as Record<string, (Figure & { ratio: number })[]>;
  } catch {
    return {};
  }
}

export function isMissed(figure: Figure): boolean {
  return figure.goal !== undefined && !(ratioOf(figure) <= figure.goal);
}

function ratioOf(figure: Figure): number {
  return figure.ours / figure.peer;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** Median milliseconds of one call, after a warm-up; `action` is repeated until a second has passed, at least `rounds` times. */
export function measure(action: () => unknown, rounds = 10): number {
  for (let index = 0; index < Math.min(3, rounds); index++) action();
  const times: number[] = [];
  const end = performance.now() + 1000;
  while (times.length < rounds || (performance.now() < end && times.length < 10_000)) {
    const startedAt = performance.now();
    action();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

/** Folder of a peer from npm (`openai@6.1.0`), installed once into .cache/bench and kept out of the project's dependencies. */
export async function installPeer(spec: string): Promise<string> {
  const name = spec.replace(/(?!^)@[^@]*$/, '');
  const folder = path.join(root, '.cache', 'bench', spec.replaceAll('/', '+'));
  const installed = path.join(folder, 'node_modules', name);
  if (!fs.existsSync(installed)) {
    console.log(`Installing ${spec} into ${path.relative(root, folder)} to compare with …`);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
    await runOrThrow('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', spec], {
      cwd: folder,
      env: npmEnvironment(),
    });
  }
  return installed;
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString();
}
