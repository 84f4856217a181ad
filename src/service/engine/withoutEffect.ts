import { documentedMetric, foreignLibraryKinds } from '../../api/schema/jobs/schemas.ts';
import { listed } from '../../shared/listed.ts';
import type { EngineSettings } from './engineSettings.ts';

/** Fields of a new cluster that describe machines of a cloud; there is one machine here. */
const cloudFields = [
  'node_type_id',
  'driver_node_type_id',
  'instance_pool_id',
  'driver_instance_pool_id',
  'cloud_attributes',
  'ssh_public_keys',
  'custom_tags',
  'enable_elastic_disk',
] as const;
/** Fields of object storage that concern a cloud's buckets; here it is a folder. */
const storageFields = ['enable_encryption', 'encryption_type', 'kms_key', 'canned_acl'] as const;

/** What the run's message says at its start: which of its settings are kept and change nothing on this machine. */
export function noteWithoutEffect(settings: EngineSettings): string | undefined {
  const cluster = (settings.new_cluster ?? {}) as Readonly<Record<string, unknown>>;
  const logs = cluster['cluster_log_conf'] as { objstore?: Readonly<Record<string, unknown>> } | undefined;
  const names = [
    ...cloudFields.filter((name) => cluster[name] !== undefined),
    ...storageFields.filter((name) => logs?.objstore?.[name] !== undefined),
    ...foreignLibraryKinds.filter((kind) => settings.libraries?.some((library) => Object.hasOwn(library, kind))),
    ...new Set(
      (settings.health?.rules ?? []).map(({ metric }) => metric).filter((metric) => metric !== documentedMetric),
    ),
  ];
  return names.length === 0
    ? undefined
    : `On this machine ${listed(names)} ${names.length === 1 ? 'has' : 'have'} no effect.`;
}
