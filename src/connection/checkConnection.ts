import type { Client } from '../api/client/index.ts';
import { type AppError, isAbort, toAppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { causeOf } from './failureCause.ts';

/** Which answer of the user is wrong, so that just that one is asked again. */
export type ProblemPlace = 'address' | 'signIn' | 'service';

export type ConnectionCheck =
  | {
      readonly ok: true;
      readonly listsEndpoints: boolean;
      readonly hasJobs: boolean;
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly place: ProblemPlace; readonly message: string; readonly error: AppError };

/**
 * Asks the service for little and judges the answers: is it reached, is it this API, does it accept the sign-in?
 * Nothing is changed there.
 * @throws AppError `aborted` only
 */
export async function checkConnection(
  client: Client,
  options: { signal?: AbortSignal; retry?: 'fail' } = {},
): Promise<ConnectionCheck> {
  const jobs = await attempt(() => client.jobs.listRuns({ limit: 1 }, options));
  if (jobs.error && !isSomethingMissing(jobs.error)) return refuse(jobs.error, client.baseUrl);
  // An answer without runs may come from a server that answers `{}` or any other JSON to everything.
  if (jobs.value && jobs.value.runs.length === 0) {
    const stranger = await attempt(() => client.jobs.getRun('1', options));
    if (stranger.error?.kind === 'protocol') return refuse(stranger.error, client.baseUrl);
  }
  const endpoints = await attempt(() => client.inference.listEndpoints(options));
  if (jobs.error && endpoints.error) return refuse(jobs.error, client.baseUrl);
  return {
    ok: true,
    hasJobs: !jobs.error,
    listsEndpoints: !endpoints.error,
    notes: [
      ...(jobs.error
        ? [
            jobs.error.kind === 'forbidden'
              ? l10n.t('The user of this sign-in may not read jobs.')
              : l10n.t('This service has no Jobs API.'),
          ]
        : []),
      ...(endpoints.error
        ? [l10n.t('This service does not list its endpoints: name those you use in the profile.')]
        : []),
    ],
  };
}

/**
 * Looks at an address before anything secret is sent there. An answer that asks for a sign-in is as good as another.
 * @throws AppError `aborted` only
 */
export async function checkAddress(
  client: Client,
  options: { signal?: AbortSignal } = {},
): Promise<Extract<ConnectionCheck, { ok: false }> | undefined> {
  const { error } = await attempt(() => client.jobs.listRuns({ limit: 1 }, options));
  if (
    !error ||
    error.kind === 'unauthenticated' ||
    error.kind === 'forbidden' ||
    error.kind === 'rateLimited' ||
    isSomethingMissing(error)
  )
    return undefined;
  return refuse(error, client.baseUrl);
}

async function attempt<T>(call: () => Promise<T>): Promise<{ value?: T; error?: AppError }> {
  try {
    return { value: await call() };
  } catch (error) {
    if (isAbort(error)) throw toAppError(error);
    return { error: toAppError(error) };
  }
}

/** The rest of the service may still be of use. */
function isSomethingMissing(error: AppError): boolean {
  return error.kind === 'notFound' || error.kind === 'forbidden';
}

function refuse(error: AppError, baseUrl: string): Extract<ConnectionCheck, { ok: false }> {
  const { place, message } = explain(error, baseUrl);
  return { ok: false, place, message, error };
}

/** What is wrong with a connection, in one or two sentences: the cause, then the next step. */
export function explain(error: AppError, baseUrl: string): { place: ProblemPlace; message: string } {
  const url = URL.parse(baseUrl);
  const host = url?.host ?? baseUrl;
  const address = (message: string): { place: ProblemPlace; message: string } => ({ place: 'address', message });
  const service = (message: string): { place: ProblemPlace; message: string } => ({ place: 'service', message });
  switch (error.kind) {
    case 'network':
    case 'timeout':
    case 'tls':
      return address(explainNetwork(error, baseUrl));
    case 'unauthenticated':
      return {
        place: 'signIn',
        message:
          error.status === undefined
            ? `${error.message} ${error.remedy ?? ''}`.trim()
            : l10n.t(
                '{0} does not accept this sign-in (401). Check that it is complete, not expired and made for this workspace, then enter it again.',
                host,
              ),
      };
    case 'forbidden':
      if (error.errorCode === undefined) {
        return address(
          l10n.t(
            '{0} refuses the request (403), but not as this API does: it is another kind of server, or a proxy ' +
              'or firewall stands between. Check the address; if it is right, ask its administrator for the ' +
              'permission.',
            host,
          ),
        );
      }
      return {
        place: 'signIn',
        message: l10n.t(
          '{0} knows this sign-in but does not allow it to read jobs or endpoints (403). Ask its administrator for the permission, or use another sign-in.',
          host,
        ),
      };
    case 'notFound':
      return address(
        l10n.t(
          '{0} answers, but has nothing at {1}/api/2.0 (404). Check the path of the address; it is what stands before /api/2.0.',
          host,
          url?.pathname.replace(/(?<!\/)\/+$/, '') ?? '',
        ),
      );
    case 'rejected':
      if (error.status === 407) return address(proxyCredentials());
      if (error.status === 400)
        return address(
          l10n.t(
            '{0} refuses the request (400). If the address is https, check that it is not entered as http; otherwise this is not the Jobs API.',
            host,
          ),
        );
      return service(`${error.message} ${error.remedy ?? ''}`.trim());
    case 'protocol':
    case 'cutOff':
    case 'tooLarge':
      if (error.status !== undefined && error.status >= 300 && error.status < 400)
        return address(`${error.message} ${error.remedy ?? ''}`.trim());
      return address(
        l10n.t(
          '{0} answers, but not as this API does: it is another kind of server, or a sign-in page or a proxy stands between. Check the address.',
          host,
        ),
      );
    case 'rateLimited':
      return service(l10n.t('{0} takes no more requests at the moment (429). Wait a minute, then try again.', host));
    case 'server':
      if (error.status === 502 || error.status === 504)
        return service(
          l10n.t(
            'A proxy or gateway answers for {0} and cannot reach it ({1}). Check the address and the proxy settings; if both are right, try again later.',
            host,
            error.status,
          ),
        );
      return service(l10n.t('{0} has a problem of its own ({1}). Try again later.', host, error.status ?? 500));
    default:
      return service(`${error.message} ${error.remedy ?? ''}`.trim());
  }
}

function proxyCredentials(): string {
  return l10n.t(
    "Proxy: it asks for credentials (407). Enter them in the editor's setting http.proxy or in HTTPS_PROXY, then try again.",
  );
}

function explainNetwork(error: AppError, baseUrl: string): string {
  const url = URL.parse(baseUrl);
  const host = url?.host ?? baseUrl;
  const { code, address, port, text } = causeOf(error);
  const ownPort = url?.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url?.port);
  if (code === 'ECONNREFUSED' && port !== undefined && port !== ownPort) {
    return l10n.t(
      "Proxy: nothing answers at the proxy {0}:{1}. Check the editor's setting http.proxy and the variables HTTP_PROXY and HTTPS_PROXY.",
      address ?? '',
      port,
    );
  }
  // Neither fetch nor a tunnel gives these a code.
  if (/proxy auth/i.test(text) || (/proxy/i.test(text) && /407/.test(text))) return proxyCredentials();
  if (/proxy|tunneling socket/i.test(text))
    return l10n.t(
      "Proxy: it did not let the connection to {0} through. Check the editor's setting http.proxy and the variables HTTPS_PROXY and NO_PROXY.",
      host,
    );
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_NODATA':
      return l10n.t(
        'DNS: the name {0} was not found. Check it for a typing mistake; if it is right, check the network (VPN, proxy).',
        url?.hostname ?? host,
      );
    case 'ECONNREFUSED':
      return l10n.t(
        'Nothing answers at {0}: the connection was refused. Check that the service runs, and the port.',
        host,
      );
    case 'CERT_HAS_EXPIRED':
      return l10n.t(
        "TLS: the certificate of {0} has expired. Its administrator has to renew it; check this machine's clock too.",
        host,
      );
    case 'CERT_NOT_YET_VALID':
      return l10n.t(
        "TLS: the certificate of {0} is not valid yet. Check this machine's clock; if it is right, the " +
          'administrator of the service has to correct the certificate.',
        host,
      );
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return l10n.t(
        'TLS: the certificate of {0} is made for another name. Enter the name that the certificate has.',
        host,
      );
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return l10n.t(
        'TLS: the certificate of {0} comes from an authority that this machine does not know ({1}). Add that ' +
          "authority to the system's certificates, then try again.",
        host,
        code,
      );
  }
  if (error.kind === 'tls' && !/^(EPROTO|ERR_SSL_.*)?$/.test(code))
    return l10n.t(
      'TLS: the certificate of {0} is not accepted ({1}). Its administrator has to replace it.',
      host,
      code,
    );
  if (error.kind === 'tls')
    return l10n.t(
      'TLS: {0} does not answer as https ({1}). If it is plain http, enter the address with http://.',
      host,
      code === '' ? 'TLS' : code,
    );
  if (error.kind === 'timeout')
    return l10n.t('{0} did not answer in time. Check the address and the network (VPN, proxy, firewall).', host);
  if (code === 'ECONNRESET' || code === 'EPIPE' || code.startsWith('HPE_') || code === 'UND_ERR_SOCKET') {
    return l10n.t(
      '{0} took the connection and closed it again ({1}). Check the port, and whether the address is http or https; a firewall or proxy may stand between.',
      host,
      code,
    );
  }
  return `${error.message} ${error.remedy ?? ''}`.trim();
}
