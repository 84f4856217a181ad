import { triggerTypes } from '../api/schema/jobs/run.ts';
import { triggerWords } from '../runs/rowWords.ts';
import {
  hoursWords,
  isFiltered,
  jobOrders,
  noFilter,
  stateGroups,
  stateGroupWords,
  type Arrangement,
  type JobOrder,
} from '../runs/tree/arrangement.ts';
import { taskWords } from '../runs/tree/rowDetails.ts';
import { l10n } from '../shared/l10n.ts';
import { requireProfile } from './connectFor.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';
import type { PickItem } from './ui.ts';

type Choice =
  | { readonly list: 'states' | 'triggers' | 'types'; readonly value: string }
  | { readonly list: 'withinHours'; readonly value: number };

const hoursToChoose = [1, 4, 24, 7 * 24, 30 * 24];

/** Lets the user filter the view by state, trigger, task kind and time. */
export async function filterJobs({ ui, arrangement }: CommandServices): Promise<void> {
  const now = arrangement.current;
  const heading = (label: string): PickItem<Choice> => ({
    label,
    separator: true,
    value: { list: 'states', value: '' },
  });
  const chosen = await ui.pickMany<Choice>(l10n.t('Filter the jobs'), l10n.t('No selection shows all'), [
    heading(l10n.t('Last run')),
    ...stateGroups.map((value) => ({
      label: capitalized(stateGroupWords(value)),
      picked: now.states.includes(value),
      value: { list: 'states' as const, value },
    })),
    heading(l10n.t('Started by')),
    ...triggerTypes.map((value) => ({
      label: capitalized(triggerWords(value) ?? value),
      picked: now.triggers.includes(value),
      value: { list: 'triggers' as const, value },
    })),
    heading(l10n.t('Task')),
    ...Object.entries(taskWords()).map(([value, { label }]) => ({
      label: capitalized(label),
      picked: now.types.includes(value),
      value: { list: 'types' as const, value },
    })),
    heading(l10n.t('Time')),
    ...hoursToChoose.map((value) => ({
      label: capitalized(hoursWords(value)),
      picked: now.withinHours === value,
      value: { list: 'withinHours' as const, value },
    })),
  ]);
  if (!chosen) return;
  const valuesOf = (list: 'states' | 'triggers' | 'types'): string[] =>
    chosen.flatMap((choice) => (choice.list === list ? [choice.value] : []));
  const hours = chosen.flatMap((choice) => (choice.list === 'withinHours' ? [choice.value] : []));
  const states = valuesOf('states');
  await arrangement.change({
    states: stateGroups.filter((group) => states.includes(group)),
    triggers: valuesOf('triggers'),
    types: valuesOf('types'),
    // The longest of the chosen periods includes the others.
    withinHours: hours.length > 0 ? Math.max(...hours) : undefined,
  });
}

/** Lets the user edit the filter that is on. */
export async function editFilter(services: CommandServices): Promise<void> {
  const { current } = services.arrangement;
  const isTextOnly = current.text !== '' && !isFiltered({ ...current, text: '' });
  await (isTextOnly ? filterJobsByText(services) : filterJobs(services));
}

/** Lets the user filter jobs by text in their names. */
export async function filterJobsByText({ ui, arrangement }: CommandServices): Promise<void> {
  const text = await ui.input({
    title: l10n.t('Filter the jobs by text'),
    prompt: l10n.t('Words of the name, ID or creator; empty shows all'),
    value: arrangement.current.text,
  });
  if (text !== undefined) await arrangement.change({ text: text.trim() });
}

export async function clearFilter({ arrangement }: CommandServices): Promise<void> {
  await arrangement.change(noFilter);
}

/** Lets the user choose the order of the jobs. */
export async function sortJobsOfView({ ui, arrangement }: CommandServices): Promise<void> {
  const { sort, activeFirst } = arrangement.current;
  const chosen = await ui.pick<Partial<Arrangement>>(
    l10n.t('Sort jobs'),
    l10n.t('Favorites come first in every order'),
    [
      ...jobOrders.map((order) => ({
        label: orderWords(order),
        description: order === sort ? l10n.t('now') : undefined,
        value: { sort: order },
      })),
      activeFirst
        ? { label: l10n.t('Active Jobs in Normal Order'), value: { activeFirst: false } }
        : { label: l10n.t('Active Jobs First'), value: { activeFirst: true } },
    ],
  );
  if (chosen) await arrangement.change(chosen);
}

function orderWords(order: JobOrder): string {
  switch (order) {
    case 'state':
      return l10n.t('Failed and Active First');
    case 'name':
      return l10n.t('By Name');
    case 'lastRun':
      return l10n.t('By Last Run');
    case 'nextRun':
      return l10n.t('By Next Run');
  }
}

export async function showRunsByTime({ arrangement }: CommandServices): Promise<void> {
  await arrangement.change({ by: 'time' });
}

export async function showRunsByJob({ arrangement }: CommandServices): Promise<void> {
  await arrangement.change({ by: 'jobs' });
}

/** Pins or unpins the job, or all selected jobs, at the top; only this window is affected. */
export async function pinJobs(services: CommandServices, target: Target, isPinned: boolean): Promise<void> {
  requireProfile(services, target, services.connections.current);
  const jobIds = (target.all ?? [target]).flatMap(({ jobId, runId }) =>
    jobId === undefined || runId !== undefined ? [] : [jobId],
  );
  if (jobIds.length > 0) await services.arrangement.pin(services.connections.current.id, jobIds, isPinned);
}

function capitalized(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
