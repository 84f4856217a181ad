import type { Fields } from '../../../src/shared/fields.ts';

type Habit = (settings: Fields) => Fields;

/** Every value of the settings through a function, the innermost first. `path` has no positions. */
function mapValues(value: unknown, map: (value: unknown, path: string) => unknown, path = ''): unknown {
  if (Array.isArray(value)) {
    return map(
      value.map((item) => mapValues(item, map, `${path}[]`)),
      path,
    );
  }
  if (typeof value !== 'object' || value === null) return map(value, path);
  const entries = Object.entries(value).map(([name, item]) => [
    name,
    mapValues(item, map, path === '' ? name : `${path}.${name}`),
  ]);
  return map(Object.fromEntries(entries), path);
}

const each =
  (map: (value: unknown, path: string) => unknown): Habit =>
  (settings) =>
    mapValues(settings, map) as Fields;
const filled =
  (additions: Fields): Habit =>
  (settings) => ({ ...additions, ...settings });
const inCluster =
  (additions: Fields): Habit =>
  (settings) =>
    settings['new_cluster']
      ? { ...settings, new_cluster: { ...additions, ...(settings['new_cluster'] as Fields) } }
      : settings;
const isFree = (path: string): boolean =>
  /(?:_notifications\.\w+|libraries|rules|exclusions|ssh_public_keys)$/.test(path);
const isBare = (path: string): boolean => !/parameters|_params|conf|vars|tags|configuration|\[\]/.test(path);

/** What services do to settings by themselves. Each means the same as what was sent, by the document alone. */
export const plainHabits: Readonly<Record<string, Habit>> = {
  'keeps all as it is': (settings) => settings,
  'says that jobs have a single task': filled({ format: 'SINGLE_TASK' }),
  'says that nothing is retried': filled({ max_retries: 0, min_retry_interval_millis: 0, retry_on_timeout: false }),
  'fills in empty notifications': filled({ email_notifications: {}, webhook_notifications: {} }),
  'fills in who is not alerted': filled({ email_notifications: { no_alert_for_skipped_runs: false, on_start: [] } }),
  'fills in nulls': filled({ schedule: null, health: null, new_cluster: null }),
  'fills in that a schedule is not paused': (settings) =>
    settings['schedule']
      ? { ...settings, schedule: { pause_status: 'UNPAUSED', ...(settings['schedule'] as Fields) } }
      : settings,
  'fills in empty parts of a cluster': inCluster({ custom_tags: {}, spark_env_vars: {}, init_scripts: [] }),
  'orders the keys': each((value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toReversed())
      : value,
  ),
  'turns lists without an order around': each((value, path) =>
    Array.isArray(value) && isFree(path) ? value.toReversed() : value,
  ),
  'writes numbers as texts': each((value) => (typeof value === 'number' ? String(value) : value)),
  'writes numbers as big ones': each((value) => (typeof value === 'number' ? BigInt(value) : value)),
  'writes whole texts as numbers': each((value) =>
    typeof value === 'string' && /^[1-9][0-9]{0,9}$/.test(value) ? Number(value) : value,
  ),
  'writes yes and no as texts': each((value) => (typeof value === 'boolean' ? String(value) : value)),
  trims: each((value, path) => (typeof value === 'string' && isBare(path) ? value.trim() : value)),
  'writes small letters in addresses': each((value, path) =>
    path.startsWith('email_notifications.') && typeof value === 'string' ? value.toLowerCase() : value,
  ),
  'writes states in small letters': each((value, path) =>
    path === 'schedule.pause_status' ? String(value).toLowerCase() : value,
  ),
  'writes one blank in schedules': each((value, path) =>
    path.endsWith('cron_expression') ? String(value).replace(/ /g, '  ').toLowerCase() : value,
  ),
  'hides texts of the environment': each((value, path) => (path.includes('spark_env_vars.') ? '********' : value)),
  'hides the middle of settings': each((value, path) =>
    path.includes('spark_conf.') && String(value).length > 4 ? `${String(value).slice(0, 2)}****` : value,
  ),
  'adds a word of its own': filled({ run_as_owner: true, x_internal: { shard: 7 } }),
};

let counted = 0;

/** What is seen to be the service's own by what it answers just after the deploy. */
export const learnedHabits: Readonly<Record<string, Habit>> = {
  'adds a field of another version': filled({ git_source: { branch: 'main' }, tags: { owner: 'someone' } }),
  'writes another number at each look': (settings) => ({ ...settings, revision: ++counted }),
  'drops what it does not know': (settings) => {
    const { tags: _tags, git_source: _source, x_y: _other, ...rest } = settings;
    return rest;
  },
  'adds its own library': (settings) => ({
    ...settings,
    libraries: [...((settings['libraries'] as unknown[] | undefined) ?? []), { jar: 'dfs:/always.jar' }],
  }),
  'writes paths its own way': each((value, path) =>
    /(?:python_file|notebook_path)$/.test(path) ? `/Workspace${String(value)}` : value,
  ),
  'tells its own people, too': (settings) => {
    const mail = (settings['email_notifications'] ?? {}) as { on_failure?: unknown[] };
    const addresses = ['admin@example.org', ...(mail.on_failure ?? [])];
    return { ...settings, email_notifications: { ...mail, on_failure: addresses } };
  },
  'adds the year to schedules': each((value, path) =>
    path.endsWith('cron_expression') ? `${String(value)} *` : value,
  ),
  'hides digits of parameters': each((value, path) =>
    path.endsWith('parameters[]') && typeof value === 'string' ? value.replace(/\d+/, '[REDACTED]') : value,
  ),
  'runs no more than ten at once': (settings) => ({
    ...settings,
    max_concurrent_runs: Math.min(Number(settings['max_concurrent_runs'] ?? 1), 10),
    max_retries: Math.min(Number(settings['max_retries'] ?? 0), 1),
  }),
  'writes names in another form': each((value, path) =>
    path === 'name' ? `${String(value).normalize('NFD')} (managed)` : value,
  ),
};
