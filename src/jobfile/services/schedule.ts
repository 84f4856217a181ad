import { findPath, type JobDocument } from '../yaml/document.ts';
import { fieldOf } from '../yaml/nodeValue.ts';
import { resolved, type ScalarNode, type YamlPath } from '../yaml/yamlNode.ts';

/** A file's schedule (Jobs API 2.0, CronSchedule) as far as it is written. */
export interface FileSchedule {
  /** The text of the expression, if there is one. */
  readonly expression?: {
    readonly node: ScalarNode;
    readonly value: string;
    /** Where it ends in the schedule itself, also if an alias stands for it. */
    readonly end: number;
  };
  /** `UTC` until one is written. */
  readonly zone: string;
  readonly isPaused: boolean;
}

export function scheduleAt(document: JobDocument, path: YamlPath): FileSchedule {
  const owner = findPath(document.root, path)?.node;
  const textOf = (name: string): FileSchedule['expression'] => {
    const written = fieldOf(owner, name)?.value;
    const node = resolved(written);
    if (!written || node?.kind !== 'scalar' || typeof node.value !== 'string') return undefined;
    return { node, value: node.value, end: written.end };
  };
  return {
    expression: textOf('quartz_cron_expression'),
    zone: textOf('timezone_id')?.value ?? 'UTC',
    isPaused: textOf('pause_status')?.value === 'PAUSED',
  };
}
