import { parseDocument } from '../../../src/jobfile/yaml/document.ts';
import type { MapEntry, YamlNode } from '../../../src/jobfile/yaml/yamlNode.ts';

/** A text with one mistake in it, and what must be said of it: these and no more. */
export interface Mutation {
  readonly text: string;
  readonly code: string;
  readonly start: number;
  readonly end: number;
}

interface Place extends MapEntry {
  /** Names of the keys down to this one, without positions. */
  readonly path: string;
}

type Below = (below: number) => number;
type Mutate = (file: { text: string; places: readonly Place[] }, below: Below) => Mutation | undefined;

function* placesIn(node: YamlNode, path = ''): Generator<Place> {
  if (node.kind === 'seq') for (const item of node.items) yield* placesIn(item, path);
  if (node.kind !== 'map') return;
  for (const entry of node.entries) {
    const inner = path === '' ? entry.key.name : `${path}.${entry.key.name}`;
    yield { ...entry, path: inner };
    yield* placesIn(entry.value, inner);
  }
}

/** Inside these, names are the user's own. */
const isOwnName = /(?:spark_conf|spark_env_vars|custom_tags|base_parameters)\./;

const put = (text: string, start: number, end: number, by: string, code: string): Mutation => ({
  text: text.slice(0, start) + by + text.slice(end),
  code,
  start,
  end: start + by.length,
});

/** Another value at one of the places, which is where the mistake is. */
const value =
  (wanted: RegExp, code: string, by: (written: string, below: Below) => string | undefined): Mutate =>
  ({ text, places }, below) => {
    const fitting = places.filter(({ path, value: { kind } }) => wanted.test(path) && kind === 'scalar');
    const place = fitting[below(fitting.length)];
    if (!place) return undefined;
    const other = by(text.slice(place.value.start, place.value.end), below);
    return other === undefined ? undefined : put(text, place.value.start, place.value.end, other, code);
  };

/** Another name in place of one that the document knows. */
const key =
  (wanted: RegExp, code: string, by: (name: string, below: Below) => string): Mutate =>
  ({ text, places }, below) => {
    const fitting = places.filter(({ path }) => wanted.test(path) && !isOwnName.test(path));
    const place = fitting[below(fitting.length)];
    return place && put(text, place.key.start, place.key.end, by(place.key.name, below), code);
  };

/** Lines at the end; the mistake is the first word, or what stands between ⟦ and ⟧. */
const added =
  (lines: string, code: string, isFor: (paths: readonly string[]) => boolean = () => true): Mutate =>
  ({ text, places }) => {
    if (!isFor(places.map(({ path }) => path))) return undefined;
    const start = text.length + Math.max(0, lines.indexOf('⟦'));
    const plain = lines.replace('⟦', '').replace('⟧', '');
    const end = lines.includes('⟧')
      ? text.length + lines.indexOf('⟧') - 1
      : start + (/^\w+/.exec(lines)?.[0].length ?? 0);
    return { text: text + plain, code, start, end };
  };

const numberPaths = [
  'timeout_seconds',
  'max_retries',
  'min_retry_interval_millis',
  'max_concurrent_runs',
  String.raw`health\.rules\.value`,
  String.raw`new_cluster\.num_workers`,
  String.raw`new_cluster\.autoscale\.max_workers`,
];
const numbers = new RegExp(`^(?:${numberPaths.join('|')})$`);
const without = (text: string, at: number): string => text.slice(0, at) + text.slice(at + 1);
const swapped = (text: string, at: number): string => text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2);
const longNames = /(?:^|\.)(?!on_failure|on_success)[a-z_]{9,}$/;

/** Kinds of mistakes that people make, each planted into a file without any. */
export const mutations: Readonly<Record<string, Mutate>> = {
  'a letter left out of a name': key(longNames, 'unknownField', (name, below) =>
    without(name, 3 + below(name.length - 5)),
  ),
  'two letters of a name swapped': key(longNames, 'unknownField', (name) => {
    const at = [...name].findIndex((letter, index) => index > 1 && letter !== name[index + 1]);
    return swapped(name, at);
  }),
  'a name in camel case': key(/(?:^|\.)[a-z]+_[a-z_]+$/, 'unknownField', (name) =>
    name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase()),
  ),
  'a name with dashes': key(/(?:^|\.)[a-z]+_[a-z_]+$/, 'unknownField', (name) => name.replaceAll('_', '-')),
  'a word for a number': value(numbers, 'wrongType', (_text, below) => ['soon', 'ten', 'never'][below(3)]),
  'a number in quotes': value(numbers, 'wrongType', (text) => `"${text}"`),
  'a number with a fraction': value(numbers, 'wrongType', (text) => `${text}.5`),
  'a list for a number': value(numbers, 'wrongType', (text) => `[${text}]`),
  'a number that is too large': value(/^max_concurrent_runs$/, 'limit', () => '1001'),
  'a number below zero': value(
    /^(?:timeout_seconds|min_retry_interval_millis|max_concurrent_runs)$/,
    'limit',
    () => '-5',
  ),
  'a list for a text': value(
    /(?:python_file|notebook_path|main_class_name|pipeline_id|timezone_id)$/,
    'wrongType',
    () => '[a]',
  ),
  'yes for true': value(/(?:retry_on_timeout|no_alert_for_skipped_runs)$/, 'wrongType', () => 'yes'),
  'a state that is none': value(/pause_status$/, 'notAllowed', (text) => (text.includes('UN') ? 'RUNNING' : 'PAUSE')),
  'an operator that is none': value(/rules\.operator$/, 'notAllowed', () => 'GREATER'),
  'a metric that is none': value(/rules\.metric$/, 'notAllowed', () => 'DURATION'),
  'a time zone that is none': value(/timezone_id$/, 'unknownTimezone', () => 'Europe/Berln'),
  'an empty text': value(/(?:python_file|existing_cluster_id)$/, 'value', () => '""'),
  'a path without a slash': value(/notebook_path$/, 'value', () => 'Users/me/notebook'),
  'an address that is not ASCII': ({ text, places }) => {
    const list = places.find(({ path }) => path === 'email_notifications.on_failure')?.value;
    const item = list?.kind === 'seq' ? list.items[0] : undefined;
    return item && put(text, item.start, item.end, 'jürgen@example.com', 'asciiOnly');
  },
  'a schedule with a wrong hour': ({ text, places }) => {
    const place = places.find(({ path }) => path.endsWith('cron_expression'));
    const at = place ? text.indexOf(' ', text.indexOf(' ', place.value.start) + 1) + 1 : 0;
    const end = text.indexOf(' ', at);
    return place && put(text, at, end, '25', 'cron');
  },
  'no value': ({ text, places }) => {
    const place = places.find(({ path }) => numbers.test(path));
    if (!place) return undefined;
    const { start, end } = place.key;
    return { text: text.slice(0, place.value.start) + text.slice(place.value.end), code: 'noValue', start, end };
  },
  'a key given twice': ({ text, places }, below) => {
    const fitting = places.filter(({ path, value: { kind } }) => !path.includes('.') && kind === 'scalar');
    const place = fitting[below(fitting.length)];
    if (!place) return undefined;
    const line = `${place.key.name}: ${text.slice(place.value.start, place.value.end)}\n`;
    return { text: text + line, code: 'duplicateKey', start: text.length, end: text.length + place.key.name.length };
  },
  'a second task': added('run_job_task:\n  job_id: 7\n', 'oneTask', (paths) => !paths.includes('run_job_task')),
  'a second cluster': added(
    'existing_cluster_id: other\n',
    'oneCluster',
    (paths) => paths.includes('new_cluster') && !paths.includes('spark_submit_task'),
  ),
  'a cluster that a submit task cannot have': added('existing_cluster_id: other\n', 'submitNeedsNewCluster', (paths) =>
    paths.includes('spark_submit_task'),
  ),
  'a field of a schedule outside it': added('timezone_id: UTC\n', 'misplacedField'),
  'a field of a cluster outside it': added('num_workers: 2\n', 'misplacedField'),
  'a field that nobody knows': added('colour: red\n', 'unknownField'),
  'a text that is not closed': added('description: ⟦"⟧never closed\n', 'syntax'),
  'a bracket that is not closed': added('description: ⟦[⟧a, b\n', 'syntax'),
  'an alias of nothing': added('description: ⟦*nothing⟧\n', 'syntax'),
  'a second document': added('⟦---⟧\nname: other\n', 'syntax'),
  'a text for a schedule': added('schedule: ⟦daily⟧\n', 'wrongType', (paths) => !paths.includes('schedule')),
  'a text for a list': added(
    'libraries: ⟦a.jar⟧\n',
    'wrongType',
    (paths) =>
      paths.some((path) => /^(?:spark_python_task|notebook_task|spark_jar_task)$/.test(path)) &&
      !paths.includes('libraries'),
  ),
  'two kinds of one library': added(
    'libraries:\n  - jar: dfs:/a.jar\n    ⟦egg⟧: dfs:/b.egg\n',
    'oneLibraryKind',
    (paths) =>
      paths.some((path) => /^(?:spark_python_task|notebook_task|spark_jar_task)$/.test(path)) &&
      !paths.includes('libraries'),
  ),
  'a task of another version': added('sql_task:\n  query: q\n', 'foreignTask'),
  'a flag that the service sets itself': ({ text, places }) => {
    const list = places.find(({ path }) => path === 'spark_submit_task.parameters')?.value;
    const item = list?.kind === 'seq' ? list.items[0] : undefined;
    return item && put(text, item.start, item.end, '--master', 'submitReservedFlag');
  },
};

/** The file with a mistake of the kind; undefined if there is no place for it. */
export function mutated(kind: string, text: string, below: Below): Mutation | undefined {
  const { root } = parseDocument(text);
  return root ? mutations[kind]?.({ text, places: [...placesIn(root)] }, below) : undefined;
}
