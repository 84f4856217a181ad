import type { checkJobSettings } from '../../../../../src/api/schema/jobs/schemas.ts';
import { formatPath } from '../../../../../src/api/schema/problems.ts';
import type { Fields } from '../../../../../src/shared/fields.ts';

/** What a rule function says, warnings too. */
export function reports(check: typeof checkJobSettings, value: unknown): string[] {
  const found: string[] = [];
  check(value, (path, code, _message, severity) =>
    found.push(`${formatPath(path)} ${code}${severity === undefined ? '' : ` ${severity}`}`.trim()),
  );
  return found;
}

export const notebook = { notebook_task: { notebook_path: '/n' } };
export const existing = { existing_cluster_id: 'c', ...notebook };
export const cluster = { spark_version: '15', node_type_id: 'n', num_workers: 1 };
export const onNew = (changes: Fields): Fields => ({ ...notebook, new_cluster: { ...cluster, ...changes } });
export const cloud = (attributes: Fields): Fields => onNew({ cloud_attributes: attributes });
export const submitTask = (...parameters: unknown[]): Fields => ({
  new_cluster: cluster,
  spark_submit_task: { parameters },
});
export const libraries = (...list: unknown[]): Fields => ({ ...existing, libraries: list });
export const schedule = (fields: Fields): Fields => ({
  ...existing,
  schedule: { quartz_cron_expression: '0 0 2 * * ?', timezone_id: 'UTC', ...fields },
});
export const mail = (address: string): Fields => ({ ...existing, email_notifications: { on_failure: [address] } });
export const objstore = (fields: Fields): Fields => ({ destination: 'objstore://b', ...fields });
export const tags = (map: Fields): Fields => onNew({ custom_tags: map });
