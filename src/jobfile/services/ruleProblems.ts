import { checkJobSettings } from '../../api/schema/jobs/schemas.ts';
import { foreignTaskKinds, listedTaskKinds } from '../../api/schema/jobs/taskKinds.ts';
import { sentence } from '../../shared/text.ts';
import { findPath } from '../yaml/document.ts';
import {
  resolved,
  type Problem,
  type ProblemData,
  type MapNode,
  type YamlNode,
  type YamlPath,
} from '../yaml/jobDocument.ts';
import { fieldOf } from '../yaml/nodeValue.ts';

/** Rules that a mapping breaks by a missing field, with the fields that would satisfy them. */
const lacking: Readonly<Record<string, readonly string[]>> = {
  noTask: [
    'notebook_task',
    'spark_python_task',
    'spark_jar_task',
    'spark_submit_task',
    'pipeline_task',
    'run_job_task',
  ],
  noCluster: ['existing_cluster_id', 'new_cluster'],
  noSize: ['num_workers', 'autoscale'],
  noNodeType: ['node_type_id', 'instance_pool_id'],
  objstoreRegion: ['region', 'warehouse'],
  logDestination: ['dfs', 'objstore'],
  initScriptPlace: ['workspace', 'objstore'],
  oneLibraryKind: ['pypi', 'whl', 'jar', 'maven', 'cran', 'egg'],
  noOperator: ['operator'],
};

/** Rules that a mapping breaks by having too many fields. */
const choices: Readonly<Record<string, readonly string[]>> = {
  oneTask: [...new Set<string>([...listedTaskKinds, ...foreignTaskKinds, 'tasks'])],
  oneCluster: ['existing_cluster_id', 'new_cluster', 'job_cluster_key', 'environment_key'],
  oneSize: ['num_workers', 'autoscale'],
  logDestination: ['dfs', 'objstore'],
  initScriptPlace: ['workspace', 'dfs', 'objstore', 'file'],
  oneLibraryKind: ['jar', 'egg', 'whl', 'pypi', 'maven', 'cran'],
};

/** Rules about a key that must not be present; the others are about its value. */
const aboutKey = new Set([
  'submitNeedsNewCluster',
  'submitLibraries',
  'submitSparkConf',
  'driverPoolNeedsPool',
  'foreignTask',
  'foreignLibrary',
  'besideTasks',
]);
/** These are reported elsewhere: with the exact position inside the text, or with the other unknown names. */
const judgedElsewhere = new Set(['cron', 'unknownTimezone']);

interface FoundBefore {
  readonly problems: readonly Problem[];
  readonly meant: ReadonlyMap<MapNode, ReadonlyMap<string, Problem>>;
}

export interface RuleProblems {
  readonly problems: readonly Problem[];
  /** Problems of mistyped keys that cause a broken rule, which is then not reported as well. */
  readonly causes: ReadonlySet<Problem>;
}

/**
 * Returns problems of rules between fields (Jobs API 2.0), each at its place in the file.
 * @param value JSON value of `root`
 * @param structure earlier results: problems, and the names that mistyped keys stand for, with the problem of each
 */
export function ruleProblems(root: YamlNode, value: unknown, base: YamlPath, structure: FoundBefore): RuleProblems {
  const problems: Problem[] = [];
  const causes = new Set<Problem>();
  checkJobSettings(value, (path, code, message, severity) => {
    if (judgedElsewhere.has(code)) return;
    const found = findPath(root, path, fieldOf);
    const node = found ? resolved(found.node) : undefined;
    if (node?.kind === 'map') {
      const cause = causeOf(lacking[code] ?? [], node, structure);
      if (cause) {
        causes.add(cause);
        return;
      }
    }
    problems.push({
      code,
      message: sentence(message),
      ...placeOf(root, path, code),
      severity: severity ?? 'error',
      data: dataOf(code, path, base, node),
    });
  });
  // If the cluster must be a new one, the existing one is reported only once.
  const isOneTooMany = problems.some(({ code }) => code === 'submitNeedsNewCluster');
  return { problems: isOneTooMany ? problems.filter(({ code }) => code !== 'oneCluster') : problems, causes };
}

/** Returns the existing problem that explains why one of the names is missing: it is mistyped, or has no value. */
function causeOf(names: readonly string[], node: MapNode, { meant, problems }: FoundBefore): Problem | undefined {
  const starts = new Set(node.entries.filter(({ key }) => names.includes(key.name)).map(({ key }) => key.start));
  return (
    names.map((name) => meant.get(node)?.get(name)).find((problem) => problem !== undefined) ??
    problems.find(({ code, start }) => code === 'noValue' && starts.has(start))
  );
}

function placeOf(root: YamlNode, path: YamlPath, code: string): { start: number; end: number } {
  for (let length = path.length; length >= 0; length--) {
    const found = findPath(root, path.slice(0, length), fieldOf);
    if (!found) continue;
    const { key, node } = found;
    const wantsKey = aboutKey.has(code) || code in lacking || code in choices || node.kind !== 'scalar';
    if (key && wantsKey) return { start: key.start, end: key.end };
    if (node.kind === 'map' && node.entries[0])
      return { start: node.entries[0].key.start, end: node.entries[0].key.end };
    if (node.end > node.start) return { start: node.start, end: node.end };
    if (key) return { start: key.start, end: key.end };
  }
  return { start: root.start, end: Math.max(root.end, root.start + 1) };
}

function dataOf(code: string, path: YamlPath, base: YamlPath, node: YamlNode | undefined): ProblemData | undefined {
  const names = choices[code];
  const isAtKey =
    typeof path[path.length - 1] === 'string' && names?.includes(path[path.length - 1] as string) === true;
  if (names && isAtKey) return { path: [...base, ...path.slice(0, -1)], oneOf: names };
  if (lacking[code] && node?.kind === 'map') return { path: [...base, ...path], missing: lacking[code] };
  if (code === 'driverPoolNeedsPool') return { path: [...base, ...path.slice(0, -1)], missing: ['instance_pool_id'] };
  if (code === 'relativePath' && node?.kind === 'scalar' && node.style !== 'block')
    return { replacements: [JSON.stringify(`/${String(node.value).replace(/^\.\//, '')}`)] };
  if (aboutKey.has(code) || code === 'submitReservedFlag') return { removable: [...base, ...path] };
  return undefined;
}
