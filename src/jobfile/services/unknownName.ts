import { l10n } from '../../shared/l10n.ts';
import { findQuartzProblem } from '../../shared/quartz/quartz.ts';
import { listedOr } from '../../shared/text.ts';
import { fieldHomes } from '../model/fieldTree.ts';
import { foreignClusterFields, foreignFields, otherNames } from '../model/foreignFields.ts';
import { keyText } from '../model/words.ts';
import { resolved, type Problem, type KeyNode, type MapEntry, type YamlPath } from '../yaml/jobDocument.ts';
import { quartzOf } from './otherCron.ts';

/** Returns the field of the mapping that a name of another tool means, if there is one that is not given. */
export function fieldMeant(name: string, absent: readonly string[]): string | undefined {
  const other = otherNames.get(name);
  return other !== undefined && absent.includes(other) ? other : undefined;
}

/** Returns the problem of a cron expression that stands where `schedule` belongs, with the schedule as its replacement. */
export function cronProblem({ key, value }: MapEntry, path: YamlPath, absent: readonly string[]): Problem | undefined {
  const node = resolved(value);
  if (otherNames.get(key.name) !== 'quartz_cron_expression' || !absent.includes('schedule')) return undefined;
  if (node?.kind !== 'scalar' || typeof node.value !== 'string') return undefined;
  const [fields] = scheduleOf(node.value) ?? [];
  if (fields === undefined) return undefined;
  const isQuoted = key.end - key.start > key.name.length;
  const schedule = isQuoted
    ? `"schedule": ${fields.replace(/\b(?=quartz_|timezone_)(\w+)/g, '"$1"').replace('UTC', '"UTC"')}`
    : `schedule: ${fields}`;
  return {
    code: 'unknownField',
    message: l10n.t('{0} is not a field of the Jobs API. A schedule is written as {1}.', keyText(key.name), schedule),
    start: key.start,
    end: Math.max(key.end, value.end),
    severity: 'warning',
    data: { replacements: [schedule], removable: path },
  };
}

/** Returns the schedule of a cron expression as YAML, if Quartz has the same. */
export function scheduleOf(text: string): readonly [string] | undefined {
  const quartz = findQuartzProblem(text) === undefined ? text : quartzOf(text);
  return quartz === undefined ? undefined : [`{quartz_cron_expression: ${JSON.stringify(quartz)}, timezone_id: UTC}`];
}

/** Returns the problem of a name that is similar to no field here: it belongs elsewhere, to another version of the API, or nowhere. */
export function unplacedProblem(key: KeyNode, path: YamlPath, absent: readonly string[]): Problem {
  const shown = keyText(key.name);
  const place = { start: key.start, end: key.end, data: { removable: path } };
  const isForeign = foreignFields.has(key.name);
  // Where a job's settings have their cluster, those of a cluster of other providers have no meaning either.
  const isOfCluster = foreignClusterFields.has(key.name) && absent.includes('max_concurrent_runs');
  const homes = isOfCluster ? ['new_cluster'] : isForeign ? [] : homesOf(key.name, path.includes('tasks'));
  if (homes.length > 0) {
    const owners = homes.map((home) => (home === '' ? l10n.t('the top of the job') : home.replaceAll('.', ' > ')));
    const message =
      homes[0] === ''
        ? l10n.t('{0} has no meaning here. It belongs at {1}. Move it.', shown, listedOr(owners))
        : l10n.t('{0} has no meaning here. It belongs below {1}. Move it.', shown, listedOr(owners));
    return { code: 'misplacedField', message, severity: 'warning', ...place };
  }
  return isForeign
    ? {
        code: 'foreignField',
        message: l10n.t('{0} is not part of the Jobs API 2.0. It is sent unchanged.', shown),
        severity: 'hint',
        ...place,
      }
    : {
        code: 'unknownField',
        message: l10n.t(
          '{0} is not a field of the Jobs API. It is sent unchanged, and the service may ignore it. Check the name.',
          shown,
        ),
        severity: 'warning',
        ...place,
      };
}

/** Returns where a name, or the field that it means, belongs, in a task or in a job of one task. */
function homesOf(name: string, inTask: boolean): readonly string[] {
  const meant = fieldHomes.get(otherNames.get(name) ?? '') ?? [];
  const homes = fieldHomes.get(name) ?? meant.filter((home) => home !== '');
  // A task has its settings in the same places as a job.
  const places = homes.filter((home) => !home.startsWith('tasks.'));
  const nearest = places.filter((home) => (inTask ? home !== '' : home !== 'tasks'));
  return nearest.length > 0 ? nearest : places;
}
