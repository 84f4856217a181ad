import fs from 'node:fs';
import path from 'node:path';
import { benchFile, isMissed, readFigures } from './bench.ts';
import { root } from './paths.ts';
import { run } from './processes.ts';

/**
 * `npm run bench -- json activation`: runs the benches whose names begin so, or all, one after the other. Fails if one
 * crashed or missed its goal.
 */
export async function runBenches(names: readonly string[]): Promise<void> {
  const folder = path.join(root, 'test', 'bench');
  const files = fs
    .readdirSync(folder)
    .filter(
      (name) => name.endsWith('.bench.ts') && (names.length === 0 || names.some((wanted) => name.startsWith(wanted))),
    )
    .sort();
  fs.rmSync(benchFile, { force: true });
  const crashed: string[] = [];
  for (const name of files) {
    console.log(`\n== ${name}`);
    const { code } = await run(
      process.execPath,
      ['--expose-gc', '--disable-warning=ExperimentalWarning', path.join(folder, name)],
      { cwd: root, echo: true },
    );
    if (code !== 0) crashed.push(name);
  }
  const missed = Object.entries(readFigures()).flatMap(([bench, figures]) =>
    figures.filter(isMissed).map((figure) => `${bench}: ${figure.name}`),
  );
  console.log(`\nFigures are in ${path.relative(root, benchFile)}.`);
  if (crashed.length > 0 || missed.length > 0)
    throw new Error(
      [
        ...crashed.map((name) => `${name} did not end well.`),
        ...missed.map((name) => `The goal of ${name} was missed.`),
      ].join('\n'),
    );
}
