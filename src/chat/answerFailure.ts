import type { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import type { Failure } from './conversationEvent.ts';
import { toFailure } from './session.ts';

/** The endpoint and service that a request was sent to. */
export interface Addressee {
  readonly endpoint: string;
  readonly profile: { name: string; isLocal: boolean };
}

/** Cause and remedy, one sentence each. */
type Told = readonly [message: string, remedy: string | undefined];

/**
 * Describes a failed response: one sentence for the cause, one for the remedy, and the protocol's messages as details. The remedy depends
 * on whether the service or the model server behind it failed: that decides whose key is wrong and which of them must be started.
 */
export function answerFailure(error: AppError, asked: Addressee): Failure {
  // An error that neither comes from a server nor concerns one is already written for people.
  if (error.operation === undefined) return toFailure(error);
  const isUpstream = 'isUpstream' in error && error.isUpstream === true;
  // Only by its message can a service report that the model server stopped in the middle of a response.
  const kind = isBrokenOff(error) ? 'cutOff' : error.kind;
  const told = isUpstream ? ofModelServer(error, asked) : ofService(error, asked, kind);
  if (!told) return toFailure(error);
  const [message, remedy] = told;
  // The local service has the keys of its model servers.
  const isKey = isUpstream && error.status === 403 && asked.profile.isLocal;
  return {
    kind: isKey ? 'modelKey' : kind,
    message,
    ...(remedy !== undefined && { remedy }),
    details: error.message,
  };
}

function ofModelServer({ kind, status, remedy, retryable }: AppError, { endpoint }: Addressee): Told {
  // A model server that is busy or loading its model has not failed: waiting fixes that.
  switch (retryable && status === 502 ? 429 : status) {
    case 403:
      return [
        l10n.t('The model server of {0} rejected the API key.', endpoint),
        l10n.t("Check this model server's API key."),
      ];
    case 404:
      return [
        l10n.t('The model server of {0} no longer has this model.', endpoint),
        l10n.t('Load it there, or choose another endpoint.'),
      ];
    case 429:
      return [
        l10n.t('The model server of {0} is rate limiting requests.', endpoint),
        remedy ?? l10n.t('Wait a moment, then ask again.'),
      ];
    case 503:
      return [
        l10n.t('{0} is unreachable.', endpoint),
        l10n.t('No model server is listening at its address. Start it, then ask again.'),
      ];
    case 504:
      return [
        l10n.t('The model server of {0} timed out.', endpoint),
        l10n.t('Ask again, or give the upstream more time.'),
      ];
  }
  return kind === 'rejected'
    ? [
        l10n.t('The model server of {0} rejected the request.', endpoint),
        l10n.t('The details say why. The server may not know one of the parameters.'),
      ]
    : [
        l10n.t('The model server of {0} failed.', endpoint),
        l10n.t("Ask again. If it fails again, check the details and the server's log."),
      ];
}

function isBrokenOff({ kind, status, message }: AppError): boolean {
  return kind === 'server' && status === undefined && message.includes('broke off its answer');
}

function ofService(error: AppError, { endpoint, profile }: Addressee, kind: AppError['kind']): Told | undefined {
  switch (kind) {
    case 'unauthenticated':
      return [
        l10n.t('{0} rejected the sign-in.', profile.name),
        l10n.t('Sign in again. The token may be expired or issued for another workspace.'),
      ];
    case 'forbidden':
      return [l10n.t('{0} does not allow its user to ask {1}.', profile.name, endpoint), error.remedy];
    case 'notFound':
      return error.errorCode === undefined
        ? [l10n.t('{0} has no chat at its address.', profile.name), error.remedy]
        : [l10n.t('There is no endpoint {0}.', endpoint), l10n.t('Choose another endpoint.')];
    case 'rateLimited':
      return [
        l10n.t('{0} is rate limiting requests.', profile.name),
        error.remedy ?? l10n.t('Wait a moment, then ask again.'),
      ];
    case 'server': {
      const broken = / broke what the request asks for: (.{1,300}?)\. Try again/s.exec(error.message)?.[1];
      if (broken !== undefined)
        return [
          l10n.t('The answer of {0} does not match the request: {1}.', endpoint, broken),
          l10n.t('Ask again, or change the parameters of the question.'),
        ];
      // Once the response has begun, the status does not show whether the service or the model server behind it failed.
      return error.status === undefined
        ? [
            l10n.t('{0} ended its answer with an error.', endpoint),
            l10n.t('The details say why. The text so far is kept. Ask again for a whole answer.'),
          ]
        : [l10n.t('{0} failed during its answer.', profile.name), l10n.t('Ask again later.')];
    }
    case 'rejected': {
      // The server's message ends with what to do.
      const said = 'said' in error && typeof error.said === 'string' ? error.said : error.remedy;
      return [l10n.t('{0} rejected the request.', profile.name), said];
    }
    case 'network':
    case 'timeout':
      return [
        l10n.t('{0} is unreachable.', profile.name),
        profile.isLocal ? l10n.t('Ask again. This starts the local service.') : error.remedy,
      ];
    case 'cutOff':
      if (error.partial === undefined && kind === error.kind)
        return [
          l10n.t('{0} ended its answer before the first word.', endpoint),
          l10n.t('Ask again. The details say what arrived.'),
        ];
      return [
        l10n.t('The connection ended before the answer was complete.'),
        l10n.t('The text so far is kept. Ask again for a whole answer.'),
      ];
  }
  return undefined;
}
