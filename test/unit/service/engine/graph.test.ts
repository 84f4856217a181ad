import assert from 'node:assert/strict';
import type { ResultState, RunCondition } from '../../../../src/api/schema/jobs/schemas.ts';
import { type GraphNode, type NodeState, stepGraph } from '../../../../src/service/engine/graph.ts';

type Written = [key: string, dependsOn: string[], state?: ResultState | 'active', runIf?: RunCondition];

/** A dependency is written as `key` or, after a condition task, `key=outcome`. */
function graph(...tasks: Written[]): GraphNode[] {
  return tasks.map(([key, dependsOn, state, runIf = 'ALL_SUCCESS']) => ({
    key,
    dependsOn: dependsOn.map((each) => {
      const [name = '', outcome] = each.split('=');
      return { key: name, outcome };
    }),
    runIf,
    state: stateOf(state),
  }));
}

function stateOf(state: Written[2]): NodeState {
  if (state === undefined) return { phase: 'blocked' };
  return state === 'active' ? { phase: 'active' } : { phase: 'over', result: state };
}

const omitted = (nodes: GraphNode[]): Record<string, string> =>
  Object.fromEntries(stepGraph(nodes).omit.map(({ key, result }) => [key, result]));

describe('The graph of tasks', () => {
  it('starts the tasks that depend on none', () => {
    assert.deepEqual(stepGraph(graph(['a', []], ['b', []], ['c', ['a']])).start, ['a', 'b']);
  });

  it('starts both sides of a diamond after its top, and its bottom after both', () => {
    const diamond = (left: Written[2], right: Written[2]): GraphNode[] =>
      graph(['top', [], 'SUCCESS'], ['left', ['top'], left], ['right', ['top'], right], ['bottom', ['left', 'right']]);
    assert.deepEqual(stepGraph(diamond(undefined, undefined)).start, ['left', 'right']);
    assert.deepEqual(stepGraph(diamond('SUCCESS', 'active')).start, []);
    assert.deepEqual(stepGraph(diamond('SUCCESS', 'SUCCESS')).start, ['bottom']);
  });

  it('starts no more tasks than its concurrency', () => {
    const nodes = graph(['a', [], 'active'], ...Array.from({ length: 50 }, (_, index): Written => [`t${index}`, []]));
    assert.deepEqual(stepGraph(nodes, 3).start, ['t0', 't1']);
  });

  it('skips everything below a failed task and ends FAILED', () => {
    const nodes = graph(['a', [], 'SUCCESS'], ['b', ['a'], 'FAILED'], ['c', ['b']], ['d', ['c']]);
    assert.deepEqual(omitted(nodes), { c: 'UPSTREAM_FAILED', d: 'UPSTREAM_FAILED' });
    assert.equal(stepGraph(nodes).result, 'FAILED');
  });

  it('ends SUCCESS_WITH_FAILURES when a failure was handled', () => {
    const nodes = graph(['a', [], 'FAILED'], ['b', ['a'], 'SUCCESS', 'ALL_DONE']);
    assert.equal(stepGraph(nodes).result, 'SUCCESS_WITH_FAILURES');
  });

  it('has no result while a task is active', () => {
    assert.equal(stepGraph(graph(['a', [], 'FAILED'], ['b', [], 'active'])).result, undefined);
  });

  it('excludes the branch that a condition did not take and runs what joins the branches', () => {
    const nodes = graph(
      ['if', []],
      ['yes', ['if=true']],
      ['no', ['if=false']],
      ['join', ['yes', 'no'], undefined, 'NONE_FAILED'],
    );
    const decided = nodes.map((node): GraphNode =>
      node.key === 'if' ? { ...node, state: { phase: 'over', result: 'SUCCESS', outcome: 'true' } } : node,
    );
    assert.deepEqual(omitted(decided), { no: 'EXCLUDED' });
    const after = decided.map((node): GraphNode =>
      node.key === 'yes' ? { ...node, state: { phase: 'over', result: 'SUCCESS' } } : node,
    );
    assert.deepEqual(stepGraph(after).start, ['join']);
  });

  it('excludes a task whose dependencies are all excluded, whatever its condition', () => {
    assert.deepEqual(omitted(graph(['a', [], 'EXCLUDED'], ['b', ['a'], undefined, 'ALL_DONE'])), { b: 'EXCLUDED' });
  });

  /** Conditions, and what they make of each pair of results. */
  const pairs: readonly (readonly [ResultState, ResultState])[] = [
    ['SUCCESS', 'SUCCESS'],
    ['SUCCESS', 'EXCLUDED'],
    ['SUCCESS', 'FAILED'],
    ['FAILED', 'UPSTREAM_FAILED'],
    ['SUCCESS', 'CANCELED'],
    ['TIMEDOUT', 'CANCELED'],
    ['EXCLUDED', 'FAILED'],
  ];
  const failed = 'UPSTREAM_FAILED';
  const canceled = 'UPSTREAM_CANCELED';
  const expected: Record<RunCondition, string[]> = {
    ALL_SUCCESS: ['run', 'run', failed, failed, canceled, failed, failed],
    ALL_DONE: ['run', 'run', 'run', 'run', 'run', 'run', 'run'],
    NONE_FAILED: ['run', 'run', failed, failed, canceled, failed, failed],
    AT_LEAST_ONE_SUCCESS: ['run', 'run', 'run', failed, 'run', failed, 'run'],
    ALL_FAILED: ['EXCLUDED', 'EXCLUDED', 'EXCLUDED', 'run', 'EXCLUDED', 'run', 'EXCLUDED'],
    AT_LEAST_ONE_FAILED: ['EXCLUDED', 'EXCLUDED', 'run', 'run', 'run', 'run', 'run'],
  };
  for (const [condition, results] of Object.entries(expected) as [RunCondition, string[]][]) {
    for (const [index, [one, other]] of pairs.entries()) {
      it(`with ${condition} makes ${results[index]} of ${one} and ${other}`, () => {
        const nodes = graph(['a', [], one], ['b', [], other], ['c', ['a', 'b'], undefined, condition]);
        assert.equal(omitted(nodes)['c'] ?? (stepGraph(nodes).start.includes('c') ? 'run' : 'wait'), results[index]);
      });
    }
  }
});
