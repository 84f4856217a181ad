import { l10n } from '../../shared/l10n.ts';
import { clusterRoutes } from '../schema/clusterRoutes.ts';
import { inferenceRoutes } from '../schema/inference/routes.ts';
import { jobsRoutes } from '../schema/jobs/routes.ts';
import type { Route } from '../schema/route.ts';

const outcomes = new Map(
  [jobsRoutes, inferenceRoutes, clusterRoutes]
    .flatMap((routes): Route[] => Object.values(routes))
    .map(({ operation, outcome }) => [operation, outcome]),
);

/** Returns, for example, "The job was not created." */
export function notDone(operation: string): string {
  return outcomes.get(operation)?.()[0] ?? l10n.t('The request was not carried out.');
}

/** Returns the sentence for an unknown outcome, such as "The job may or may not have been created." */
export function notKnown(operation: string): string {
  return outcomes.get(operation)?.()[1] ?? l10n.t('The request may or may not have taken effect.');
}
