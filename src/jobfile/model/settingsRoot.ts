import { entryOf } from '../yaml/document.ts';
import { resolved, type YamlNode, type YamlPath } from '../yaml/yamlNode.ts';
import { settingsType } from './fieldTree.ts';

const wrappers = ['settings', 'new_settings'] as const;

/**
 * Where the settings are: the whole file, or one field of it if the file holds a job as jobs/get returns it or the
 * body of a jobs/reset. Such files are found in public repositories and are read as they are.
 */
export function settingsPath(root: YamlNode | null): YamlPath {
  const map = resolved(root ?? undefined);
  if (map?.kind !== 'map') return [];
  const wrapper = wrappers.find((name) => resolved(entryOf(map, name)?.value)?.kind === 'map');
  const isBare = map.entries.some(({ key }) => settingsType.fields.has(key.name));
  return wrapper !== undefined && !isBare ? [wrapper] : [];
}
