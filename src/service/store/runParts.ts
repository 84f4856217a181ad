import type { RunOutcome } from '../runners/runner.ts';
import type { Database } from './database.ts';
import type { RunPlan } from './runRecord.ts';

/** What a run left besides its state. */
export type StoredOutcome = Pick<
  RunOutcome,
  'error' | 'errorTrace' | 'notebookResult' | 'taskValues' | 'conditionOutcome'
>;

/** An earlier version stored the values of a task as an object. */
function withTaskValues(outcome: StoredOutcome): StoredOutcome {
  const { taskValues } = outcome;
  return taskValues === undefined || typeof taskValues === 'string'
    ? outcome
    : { ...outcome, taskValues: JSON.stringify(taskValues) };
}

/** Returns nothing if the task left only its state. */
export function storedPart(outcome: RunOutcome): StoredOutcome | undefined {
  const { error, errorTrace, notebookResult, taskValues, conditionOutcome } = outcome;
  const parts: StoredOutcome = { error, errorTrace, notebookResult, taskValues, conditionOutcome };
  return Object.values(parts).every((part) => part === undefined) ? undefined : parts;
}

/** What is stored of a run besides its row. */
export interface RunParts {
  plan(runId: string): RunPlan | undefined;
  setPlan(runId: string, plan: RunPlan): void;
  setPlanSettings(runId: string, settings: string): void;
  outcome(runId: string): StoredOutcome | undefined;
  setOutcome(runId: string, outcome: StoredOutcome): void;
  /** Removes the run's processes, and its plan unless it is needed again: for a retry, or for the tasks of the run. */
  end(runId: string, keepsPlan: boolean): void;
  delete(runId: string): void;
}

export function createRunParts({ connection }: Database): RunParts {
  const getPlan = connection.prepare('SELECT settings, parameters FROM plans WHERE run_id = ?');
  const setPlan = connection.prepare('INSERT OR REPLACE INTO plans (run_id, settings, parameters) VALUES (?, ?, ?)');
  const setPlanSettings = connection.prepare('UPDATE plans SET settings = ? WHERE run_id = ?');
  const getOutcome = connection.prepare('SELECT outcome FROM outputs WHERE run_id = ?');
  const setOutcome = connection.prepare('INSERT OR REPLACE INTO outputs (run_id, outcome) VALUES (?, ?)');
  const removePlan = connection.prepare('DELETE FROM plans WHERE run_id = ?');
  const removeOutcome = connection.prepare('DELETE FROM outputs WHERE run_id = ?');
  const removeProcesses = connection.prepare('DELETE FROM processes WHERE run_id = ?');

  return {
    plan: (runId) => getPlan.get(BigInt(runId)) as RunPlan | undefined,
    setPlan: (runId, { settings, parameters }) => void setPlan.run(BigInt(runId), settings, parameters),
    setPlanSettings: (runId, settings) => void setPlanSettings.run(settings, BigInt(runId)),
    outcome(runId) {
      const row = getOutcome.get(BigInt(runId)) as { outcome: string } | undefined;
      return row && withTaskValues(JSON.parse(row.outcome) as StoredOutcome);
    },
    setOutcome: (runId, outcome) => void setOutcome.run(BigInt(runId), JSON.stringify(outcome)),
    end(runId, keepsPlan) {
      if (!keepsPlan) removePlan.run(BigInt(runId));
      removeProcesses.run(BigInt(runId));
    },
    delete(runId) {
      for (const statement of [removePlan, removeOutcome, removeProcesses]) statement.run(BigInt(runId));
    },
  };
}
