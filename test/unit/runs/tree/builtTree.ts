import assert from 'node:assert/strict';
import { ScheduleTimes } from '../../../../src/runs/scheduleTimes.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { TreeModel } from '../../../../src/runs/tree/treeModel.ts';
import type { TreeNode, TreeRowsOptions } from '../../../../src/runs/tree/treeRows.ts';

export const now = Date.UTC(2026, 2, 1, 12);
export const ended = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };

/** Schedules whose next times are computed at once, and of which nobody is told. */
export const scheduleTimes = (clock: () => number = () => now): ScheduleTimes =>
  new ScheduleTimes({ now: clock, elapsed: () => 0, later: () => undefined, onComputed: () => undefined });

export function build(options: Partial<TreeRowsOptions> = {}): { store: RunStore; model: TreeModel } {
  const store = new RunStore();
  return { store, model: new TreeModel({ profileId: 'local', store, now: () => now, ...options }) };
}

export function childrenOf(model: TreeModel, node: TreeNode | undefined): TreeNode[] {
  assert.ok(node);
  const children = model.children(node);
  assert.notEqual(children, 'notLoaded');
  return children as TreeNode[];
}
