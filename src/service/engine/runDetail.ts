import { taskKinds } from '../../api/schema/jobs/schemas.ts';
import { rawMembers } from '../store/rawJson.ts';

const taskFields = [...taskKinds, 'tasks'] as const;
const clusterFields = ['existing_cluster_id', 'new_cluster', 'libraries'] as const;

/**
 * The members of a run that are fixed when it is created, as JSON text without braces: the schedule, the task and the
 * snapshot of the cluster specification as the client wrote them (Jobs API 2.0, Run).
 */
export function runDetail(settings: string, parameters: string, options: { withSchedule: boolean }): string {
  const members = rawMembers(settings);
  const parts: string[] = [];
  const schedule = members.get('schedule');
  if (options.withSchedule && schedule) parts.push(`"schedule":${schedule}`);
  parts.push(`"task":${pick(members, taskFields)}`, `"cluster_spec":${pick(members, clusterFields)}`);
  if (parameters !== '{}') parts.push(`"overriding_parameters":${parameters}`);
  return parts.join(',');
}

function pick(members: Map<string, string>, names: readonly string[]): string {
  const found = names.flatMap((name) => {
    const value = members.get(name);
    return value === undefined || value === 'null' ? [] : [`"${name}":${value}`];
  });
  return `{${found.join(',')}}`;
}
