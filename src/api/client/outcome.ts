import { l10n } from '../../shared/l10n.ts';

/** What an error says of an operation's outcome, as whole sentences: parts of one cannot be translated. */
type Outcome = readonly [notDone: string, notKnown: string];

function outcomeOf(operation: string): Outcome {
  switch (operation) {
    case 'jobs/create':
      return [l10n.t('The job was not created.'), l10n.t('It is not known whether the job was created.')];
    case 'jobs/list':
      return [l10n.t('The jobs were not read.'), l10n.t('It is not known whether the jobs were read.')];
    case 'jobs/delete':
      return [l10n.t('The job was not deleted.'), l10n.t('It is not known whether the job was deleted.')];
    case 'jobs/get':
      return [l10n.t('The job was not read.'), l10n.t('It is not known whether the job was read.')];
    case 'jobs/reset':
      return [l10n.t('The settings were not replaced.'), l10n.t('It is not known whether the settings were replaced.')];
    case 'jobs/update':
      return [l10n.t('The settings were not changed.'), l10n.t('It is not known whether the settings were changed.')];
    case 'jobs/run-now':
      return [l10n.t('The run was not started.'), l10n.t('It is not known whether the run was started.')];
    case 'jobs/runs/submit':
      return [l10n.t('The run was not submitted.'), l10n.t('It is not known whether the run was submitted.')];
    case 'jobs/runs/list':
      return [l10n.t('The runs were not read.'), l10n.t('It is not known whether the runs were read.')];
    case 'jobs/runs/get':
      return [l10n.t('The run was not read.'), l10n.t('It is not known whether the run was read.')];
    case 'jobs/runs/export':
      return [l10n.t('The run was not exported.'), l10n.t('It is not known whether the run was exported.')];
    case 'jobs/runs/cancel':
      return [l10n.t('The run was not cancelled.'), l10n.t('It is not known whether the run was cancelled.')];
    case 'jobs/runs/cancel-all':
      return [l10n.t('The runs were not cancelled.'), l10n.t('It is not known whether the runs were cancelled.')];
    case 'jobs/runs/get-output':
      return [l10n.t('The output was not read.'), l10n.t('It is not known whether the output was read.')];
    case 'jobs/runs/delete':
      return [l10n.t('The run was not deleted.'), l10n.t('It is not known whether the run was deleted.')];
    case 'clusters/spark-versions':
      return [
        l10n.t('The Spark versions were not read.'),
        l10n.t('It is not known whether the Spark versions were read.'),
      ];
    case 'clusters/list-node-types':
      return [l10n.t('The node types were not read.'), l10n.t('It is not known whether the node types were read.')];
    case 'clusters/list-zones':
      return [l10n.t('The zones were not read.'), l10n.t('It is not known whether the zones were read.')];
    case 'serving-endpoints/list':
      return [l10n.t('The endpoints were not read.'), l10n.t('It is not known whether the endpoints were read.')];
    case 'serving-endpoints/create':
      return [l10n.t('The endpoint was not created.'), l10n.t('It is not known whether the endpoint was created.')];
    case 'serving-endpoints/delete':
      return [l10n.t('The endpoint was not deleted.'), l10n.t('It is not known whether the endpoint was deleted.')];
    case 'chat':
      return [l10n.t('The answer was not completed.'), l10n.t('It is not known whether the answer was completed.')];
    case 'completion':
      return [
        l10n.t('The completion was not completed.'),
        l10n.t('It is not known whether the completion was completed.'),
      ];
    case 'embedding':
      return [l10n.t('The embedding was not computed.'), l10n.t('It is not known whether the embedding was computed.')];
    default:
      return [
        l10n.t('The request was not carried out.'),
        l10n.t('It is not known whether the request was carried out.'),
      ];
  }
}

/** "The job was not created." */
export function notDone(operation: string): string {
  return outcomeOf(operation)[0];
}

/** "It is not known whether the job was created." */
export function notKnown(operation: string): string {
  return outcomeOf(operation)[1];
}
