import { endpointTaskOf, type EndpointSummary } from '../api/schema/inference/endpoints.ts';
import type { Connection } from '../connection/connection.ts';
import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { connectFor } from './connectFor.ts';
import { confirmLoss } from './runCommands.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';
import type { PickItem } from './ui.ts';

/** The document defines no rule for names; this is the rule of services of this kind. */
const endpointName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/;

/**
 * Creates a provisioned throughput endpoint (Inference API, Endpoints) that serves models of other endpoints of the profile, each with an
 * equal share of the requests.
 */
export async function createEndpoint(services: CommandServices, target: Target): Promise<void> {
  const connection = await connectFor(services, target);
  const { profile, client } = connection;
  const title = l10n.t('Create Serving Endpoint');
  const listed = await list(services, connection);
  if (listed.length === 0) {
    void services.ui.info(l10n.t('{0} has no endpoint whose model can be served.', profile.name));
    return;
  }
  const models = await services.ui.pickMany(
    title,
    l10n.t('Models to serve, all for the same task'),
    listed.map(itemOf),
  );
  const [first] = models ?? [];
  if (!models || !first) return;
  const other = models.find(({ task }) => endpointTaskOf(task) !== endpointTaskOf(first.task));
  if (other)
    throw new AppError(
      'invalid',
      l10n.t('{0} and {1} have different tasks, so no endpoint was created.', first.name, other.name),
      { remedy: l10n.t('Choose models for the same task.') },
    );
  const name = await services.ui.input({
    title,
    prompt: l10n.t('Name of the new endpoint on {0}', profile.name),
    validate: (text) => {
      if (listed.some((endpoint) => endpoint.name === text))
        return l10n.t('An endpoint with this name already exists.');
      return endpointName.test(text)
        ? undefined
        : l10n.t('Start with a letter or digit. At most 63 letters, digits, "-", "_" and ".".');
    },
  });
  if (name === undefined) return;
  const what = l10n.t('Create the endpoint "{0}" of {1}', name, models.map((model) => model.name).join(', '));
  if (!(await services.connections.confirmMutation(what, connection, { verb: l10n.t('Create') }))) return;
  const served = models.map((model) => ({ name: model.name, entity_name: model.name }));
  const share = Math.floor(100 / served.length);
  const routes = served.map((model, index) => ({
    served_model_name: model.name,
    traffic_percentage: index === 0 ? 100 - share * (served.length - 1) : share,
  }));
  await services.ui.progress(`${what}, ${profile.name}`, (signal) =>
    client.inference.createEndpoint(
      { name, config: { served_entities: served, traffic_config: { routes } } },
      { signal },
    ),
  );
  void services.ui.info(l10n.t('The endpoint "{0}" was created on {1}. Choose it in the chat.', name, profile.name));
}

/** Deletes an endpoint that was created; the models that it serves are kept. */
export async function deleteEndpoint(services: CommandServices, target: Target): Promise<void> {
  const connection = await connectFor(services, target);
  const { profile, client } = connection;
  // The built-in pay-per-token endpoints cannot be deleted.
  const created = (await list(services, connection)).filter((endpoint) => endpoint.endpoint_type !== 'PAY_PER_TOKEN');
  if (created.length === 0) {
    void services.ui.info(l10n.t('{0} has no endpoint that can be deleted.', profile.name));
    return;
  }
  const title = l10n.t('Delete Serving Endpoint');
  const endpoint = await services.ui.pick(title, l10n.t('Endpoint of {0}', profile.name), created.map(itemOf));
  if (!endpoint) return;
  const { name } = endpoint;
  const isSure = await confirmLoss(services, connection, {
    question: l10n.t('Delete the endpoint "{0}" on {1}?', name, profile.name),
    detail: l10n.t('Requests to it will fail. The models that it serves stay.'),
    button: l10n.t('Delete'),
    mutation: l10n.t('Delete the endpoint "{0}"', name),
  });
  if (!isSure) return;
  await services.ui.progress(`${l10n.t('Delete the endpoint "{0}"', name)}, ${profile.name}`, (signal) =>
    client.inference.deleteEndpoint(name, { signal }),
  );
  void services.ui.info(l10n.t('The endpoint "{0}" on {1} was deleted.', name, profile.name));
}

function list({ ui }: CommandServices, { client, profile }: Connection): Promise<EndpointSummary[]> {
  return ui.progress(l10n.t('Loading the endpoints of {0}', profile.name), (signal) =>
    client.inference.listEndpoints({ signal }),
  );
}

function itemOf(endpoint: EndpointSummary): PickItem<EndpointSummary> {
  const { name, task, description } = endpoint;
  return { label: name, description: endpointTaskOf(task) ?? task, detail: description, value: endpoint };
}
