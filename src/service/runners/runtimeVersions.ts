import type { Python } from './python.ts';

/** What a release has: versions of Python and of Spark. */
const releases: Readonly<Record<string, readonly [python: string, spark: string]>> = {
  '9.1': ['3.8', '3.1'],
  '10.4': ['3.8', '3.2'],
  '11.3': ['3.9', '3.3'],
  '12.2': ['3.9', '3.3'],
  '13.3': ['3.10', '3.4'],
  '14.3': ['3.10', '3.5'],
  '15.4': ['3.11', '3.5'],
  '16.4': ['3.12', '3.5'],
  '17.3': ['3.12', '4.0'],
};

/**
 * Where the release that a cluster names, such as `15.4.x-scala2.12`, has another Python or Spark than this machine: what works here may
 * break there. Undefined if they are the same, or the release is not known.
 */
export function versionsThatDiffer(
  sparkVersion: string | undefined,
  python: Pick<Python, 'version' | 'pysparkVersion'> | undefined,
): string | undefined {
  const release = releases[/^(\d{1,3}\.\d{1,3})(?:\.|$)/.exec(sparkVersion ?? '')?.[1] ?? ''];
  if (!release || !python) return undefined;
  const own = { Python: python.version, Spark: python.pysparkVersion };
  const theirs = { Python: release[0], Spark: release[1] };
  const differing = (['Python', 'Spark'] as const).filter(
    (name) => own[name] !== undefined && !`${own[name]}.`.startsWith(`${theirs[name]}.`),
  );
  if (differing.length === 0) return undefined;
  const words = (versions: Readonly<Record<string, string | undefined>>): string =>
    differing.map((name) => `${name} ${versions[name]}`).join(' and ');
  return `It ran with ${words(own)}, and ${sparkVersion} has ${words(theirs)}: what works here may break there.`;
}
