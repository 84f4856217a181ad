import type { ResultState, RunCondition } from '../../api/schema/jobs/schemas.ts';

/** A task of a graph, as far as its order needs it. */
export interface GraphNode {
  readonly key: string;
  readonly dependsOn: readonly Dependency[];
  readonly runIf: RunCondition;
  readonly state: NodeState;
}

interface Dependency {
  readonly key: string;
  /** Of a condition task: the outcome with which the task runs. */
  readonly outcome?: string;
}

/** `active` includes a task that waits for its retry. */
export type NodeState =
  | { readonly phase: 'blocked' | 'active' }
  | { readonly phase: 'over'; readonly result: ResultState; readonly outcome?: string };

/** Results of tasks that do not run. */
export type OmittedResult = 'EXCLUDED' | 'UPSTREAM_FAILED' | 'UPSTREAM_CANCELED';

export interface GraphStep {
  /** Keys of the tasks that start now. */
  readonly start: readonly string[];
  /** Tasks that do not run, and why. */
  readonly omit: readonly { readonly key: string; readonly result: OmittedResult }[];
  /** Result of the whole, once every task has ended. */
  readonly result?: GraphResult;
}

export type GraphResult = 'SUCCESS' | 'SUCCESS_WITH_FAILURES' | 'FAILED' | 'CANCELED';

/**
 * Computes what follows from the states of a graph's tasks (Jobs API 2.1, RunIf): which tasks start, which do not run, and the result.
 * @param concurrency maximum number of active tasks
 */
export function stepGraph(nodes: readonly GraphNode[], concurrency = Infinity): GraphStep {
  const states = new Map(nodes.map(({ key, state }) => [key, state]));
  const start: string[] = [];
  const omit: { key: string; result: OmittedResult }[] = [];
  let free = concurrency - nodes.filter(({ state }) => state.phase === 'active').length;
  // A task that does not run decides about those after it.
  for (let changed = true; changed;) {
    changed = false;
    for (const { key, dependsOn, runIf } of nodes) {
      if (states.get(key)?.phase !== 'blocked') continue;
      const decision = decide(dependsOn, runIf, states);
      if (decision === 'wait' || (decision === 'run' && free <= 0)) continue;
      changed = true;
      if (decision === 'run') {
        free -= 1;
        states.set(key, { phase: 'active' });
        start.push(key);
      } else {
        states.set(key, { phase: 'over', result: decision });
        omit.push({ key, result: decision });
      }
    }
  }
  return { start, omit, result: resultOf(nodes, states) };
}

/** How a task that has ended counts for those after it. */
type Verdict = 'success' | 'excluded' | 'notTaken' | 'failed' | 'canceled';

const verdicts: Readonly<Record<ResultState, Verdict>> = {
  SUCCESS: 'success',
  SUCCESS_WITH_FAILURES: 'success',
  EXCLUDED: 'excluded',
  FAILED: 'failed',
  TIMEDOUT: 'failed',
  UPSTREAM_FAILED: 'failed',
  CANCELED: 'canceled',
  UPSTREAM_CANCELED: 'canceled',
};

function decide(
  dependsOn: readonly Dependency[],
  runIf: RunCondition,
  states: ReadonlyMap<string, NodeState>,
): 'wait' | 'run' | OmittedResult {
  const found: Verdict[] = [];
  for (const { key, outcome } of dependsOn) {
    const state = states.get(key);
    // A task that was left out of the run holds nobody up.
    if (!state) continue;
    if (state.phase !== 'over') return 'wait';
    const isOther = outcome !== undefined && state.outcome !== undefined && state.outcome !== outcome;
    found.push(isOther ? 'notTaken' : verdicts[state.result]);
  }
  return found.length === 0 || fits(runIf, found) ? 'run' : omission(runIf, found);
}

/** Excluded tasks count as successful, unless all are: then nothing has led to this task. */
function fits(runIf: RunCondition, found: readonly Verdict[]): boolean {
  const isGood = (each: Verdict): boolean => each === 'success' || each === 'excluded';
  if (found.every((each) => each === 'excluded' || each === 'notTaken')) return false;
  switch (runIf) {
    case 'ALL_SUCCESS':
      return found.every(isGood);
    case 'ALL_DONE':
      return true;
    case 'NONE_FAILED':
      return found.every((each) => each !== 'failed' && each !== 'canceled');
    case 'AT_LEAST_ONE_SUCCESS':
      return found.some(isGood);
    // What was cancelled is tidied up like what failed.
    case 'ALL_FAILED':
      return found.every((each) => each === 'failed' || each === 'canceled');
    case 'AT_LEAST_ONE_FAILED':
      return found.includes('failed') || found.includes('canceled');
  }
}

/** A condition that asks for failures is not met by success, which is no failure of its own. */
function omission(runIf: RunCondition, found: readonly Verdict[]): OmittedResult {
  if (runIf === 'ALL_FAILED' || runIf === 'AT_LEAST_ONE_FAILED') return 'EXCLUDED';
  if (found.includes('failed')) return 'UPSTREAM_FAILED';
  return found.includes('canceled') ? 'UPSTREAM_CANCELED' : 'EXCLUDED';
}

/** The tasks that no other depends on decide. */
function resultOf(nodes: readonly GraphNode[], states: ReadonlyMap<string, NodeState>): GraphResult | undefined {
  const verdictOf = (key: string): Verdict | undefined => {
    const state = states.get(key);
    return state?.phase === 'over' ? verdicts[state.result] : undefined;
  };
  const all = nodes.map(({ key }) => verdictOf(key));
  if (all.includes(undefined)) return undefined;
  const inner = new Set(nodes.flatMap(({ dependsOn }) => dependsOn.map(({ key }) => key)));
  const leaves = nodes.filter(({ key }) => !inner.has(key)).map(({ key }) => verdictOf(key));
  if (leaves.includes('failed')) return 'FAILED';
  if (leaves.includes('canceled')) return 'CANCELED';
  return all.includes('failed') || all.includes('canceled') ? 'SUCCESS_WITH_FAILURES' : 'SUCCESS';
}
