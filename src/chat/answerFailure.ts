import type { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import type { Failure } from './conversationEvent.ts';
import { toFailure } from './session.ts';

/** Whom an answer was asked of. */
export interface Addressee {
  readonly endpoint: string;
  readonly profile: { name: string; isLocal: boolean };
}

/** Cause and remedy, a sentence each. */
type Told = readonly [message: string, remedy: string | undefined];

/**
 * What a failed answer says: one sentence of cause, one of what to do that fits the cause, and the words of the protocol as details.
 * Whose key is wrong, and who is to be started, depends on who failed: the service or the model server behind it.
 */
export function answerFailure(error: AppError, asked: Addressee): Failure {
  // What was not said by a server or about one is for people as it is.
  if (error.operation === undefined) return toFailure(error);
  const isUpstream = 'isUpstream' in error && error.isUpstream === true;
  // A service can say only in words that the model server left it in the middle of an answer.
  const kind = isBrokenOff(error) ? 'cutOff' : error.kind;
  const told = isUpstream ? ofModelServer(error, asked) : ofService(error, asked, kind);
  if (!told) return toFailure(error);
  const [message, remedy] = told;
  return { kind, message, ...(remedy !== undefined && { remedy }), details: error.message };
}

function ofModelServer({ kind, status, remedy, retryable }: AppError, { endpoint }: Addressee): Told {
  // One that is busy or loads its model does not fail: waiting mends it.
  switch (retryable && status === 502 ? 429 : status) {
    case 403:
      return [
        l10n.t('The model server of {0} did not accept its key.', endpoint),
        l10n.t('Correct the API key of the upstream; the sign-in of the profile is not the cause.'),
      ];
    case 404:
      return [
        l10n.t('The model server of {0} does not have this model any more.', endpoint),
        l10n.t('Load it there, or choose another endpoint.'),
      ];
    case 429:
      return [
        l10n.t('The model server of {0} takes no more requests at the moment.', endpoint),
        remedy ?? l10n.t('Wait a little, then ask again.'),
      ];
    case 503:
      return [
        l10n.t('{0} cannot be reached.', endpoint),
        l10n.t('Nothing answers where its model server should be. Start it, then ask again.'),
      ];
    case 504:
      return [
        l10n.t('The model server of {0} sent nothing in time.', endpoint),
        l10n.t('Ask again, or give the upstream more time.'),
      ];
  }
  return kind === 'rejected'
    ? [
        l10n.t('The model server of {0} refused the request.', endpoint),
        l10n.t('The details say why; a parameter may be one that it does not know.'),
      ]
    : [
        l10n.t('The model server of {0} failed.', endpoint),
        l10n.t('Ask again. If it fails again, see the details and the log of the server.'),
      ];
}

function isBrokenOff({ kind, status, message }: AppError): boolean {
  return kind === 'server' && status === undefined && message.includes('broke off its answer');
}

function ofService(error: AppError, { endpoint, profile }: Addressee, kind: AppError['kind']): Told | undefined {
  switch (kind) {
    case 'unauthenticated':
      return [
        l10n.t('{0} did not accept the sign-in.', profile.name),
        l10n.t('Sign in again: the token may have expired or be for another workspace.'),
      ];
    case 'forbidden':
      return [l10n.t('{0} does not let its user ask {1}.', profile.name, endpoint), error.remedy];
    case 'notFound':
      return error.errorCode === undefined
        ? [l10n.t('{0} has no chat at its address.', profile.name), error.remedy]
        : [l10n.t('There is no endpoint {0}.', endpoint), l10n.t('Choose another endpoint.')];
    case 'rateLimited':
      return [
        l10n.t('{0} takes no more requests at the moment.', profile.name),
        error.remedy ?? l10n.t('Wait a little, then ask again.'),
      ];
    case 'server': {
      const broken = / broke what the request asks for: (.{1,300}?)\. Try again/s.exec(error.message)?.[1];
      if (broken !== undefined)
        return [
          l10n.t('{0} did not answer as the request asks: {1}.', endpoint, broken),
          l10n.t('Ask again, or change what the parameters ask for.'),
        ];
      // An answer that had begun does not tell who failed: the service, or the model server behind it.
      return error.status === undefined
        ? [
            l10n.t('{0} ended its answer with an error.', endpoint),
            l10n.t('The details say why. What arrived is kept: ask again for a whole answer.'),
          ]
        : [l10n.t('{0} failed while it answered.', profile.name), l10n.t('Ask again in a while.')];
    }
    case 'rejected': {
      // What it says ends with what to do.
      const said = 'said' in error && typeof error.said === 'string' ? error.said : error.remedy;
      return [l10n.t('{0} refused the request.', profile.name), said];
    }
    case 'network':
    case 'timeout':
      return [
        l10n.t('{0} cannot be reached.', profile.name),
        profile.isLocal ? l10n.t('Ask again: the local service is started for it.') : error.remedy,
      ];
    case 'cutOff':
      return [
        l10n.t('The connection ended before the answer was complete.'),
        l10n.t('What arrived is kept. Ask again for a whole answer.'),
      ];
  }
  return undefined;
}
