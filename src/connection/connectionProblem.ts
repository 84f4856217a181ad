import type { AppError } from '../shared/errors.ts';
import { causesOf } from '../shared/http/causes.ts';
import { l10n } from '../shared/l10n.ts';

/** The step with the wrong answer, so that only that step is asked again. */
export type ProblemPlace = 'address' | 'signIn' | 'service';

/** The problem of a connection in one or two sentences: the cause, then the next step. */
export interface ConnectionProblem {
  readonly place: ProblemPlace;
  readonly message: string;
}

const address = (message: string): ConnectionProblem => ({ place: 'address', message });
const signIn = (message: string): ConnectionProblem => ({ place: 'signIn', message });
const service = (message: string): ConnectionProblem => ({ place: 'service', message });

/**
 * Returns the problem for a connection error.
 * @param baseUrl the profile's URL, which the text names whichever server responded
 */
export function connectionProblem(error: AppError, baseUrl: string): ConnectionProblem {
  const url = URL.parse(baseUrl);
  const host = url?.host ?? baseUrl;
  switch (error.kind) {
    case 'network':
    case 'timeout':
    case 'tls':
      return address(unreached(error, host, url));
    case 'unauthenticated':
      return signIn(
        error.status === undefined
          ? ownWords(error)
          : l10n.t(
              '{0} rejected this sign-in (401). Check that it is complete, not expired and issued for this workspace, then enter it again.',
              host,
            ),
      );
    case 'forbidden':
      return forbidden(error, host);
    case 'notFound':
      return address(
        l10n.t(
          '{0} answers, but has nothing at {1}/api/2.0 (404). Check the path of the address: everything before /api/2.0.',
          host,
          url?.pathname.replace(/(?<!\/)\/+$/, '') ?? '',
        ),
      );
    case 'rejected':
      return rejected(error, host);
    case 'protocol':
    case 'cutOff':
    case 'tooLarge':
      return address(stranger(error, host));
    case 'rateLimited':
      return service(l10n.t('{0} is rate limiting requests (429). Wait a minute, then try again.', host));
    case 'server':
      return service(sick(error, host));
    default:
      return service(ownWords(error));
  }
}

function ownWords({ message, remedy }: AppError): string {
  return `${message} ${remedy ?? ''}`.trim();
}

function forbidden({ errorCode }: AppError, host: string): ConnectionProblem {
  // This API gives the reason for a refusal in its body; a proxy in front of it does not.
  if (errorCode === undefined)
    return address(
      l10n.t(
        '{0} rejects the request (403), but not as this API does: it is another kind of server, or a proxy or firewall is in between. Check the address. If it is right, ask its administrator for the permission.',
        host,
      ),
    );
  return signIn(
    l10n.t(
      '{0} accepts this sign-in but does not allow it to read jobs or endpoints (403). Ask its administrator for the permission, or use another sign-in.',
      host,
    ),
  );
}

function rejected(error: AppError, host: string): ConnectionProblem {
  if (error.status === 407) return address(proxyCredentials());
  if (error.status !== 400) return service(ownWords(error));
  return address(
    l10n.t(
      '{0} rejects the request (400). If the address uses https, check that it was not entered as http. Otherwise this is not the Jobs API.',
      host,
    ),
  );
}

function stranger(error: AppError, host: string): string {
  // The error of a redirect names its target, which may be the right address.
  if (error.status !== undefined && error.status >= 300 && error.status < 400) return ownWords(error);
  return l10n.t(
    '{0} answers, but not with this API: it is another kind of server, or a sign-in page or a proxy is in between. Check the address.',
    host,
  );
}

function sick({ status }: AppError, host: string): string {
  if (status === 502 || status === 504)
    return l10n.t(
      'A proxy or gateway answers for {0} but cannot reach it ({1}). Check the address and the proxy settings. If both are right, try again later.',
      host,
      status,
    );
  return l10n.t('{0} has an internal problem ({1}). Try again later.', host, status ?? 500);
}

/** Describes an error without a response, or without a trustworthy one. */
function unreached(error: AppError, host: string, url: URL | null): string {
  const cause = causeOf(error);
  const { code } = cause;
  const known = ofProxy(cause, host, url) ?? ofName(code, url?.hostname ?? host, host) ?? ofCertificate(code, host);
  if (known !== undefined) return known;
  if (error.kind === 'tls') return ofTls(code, host);
  if (error.kind === 'timeout')
    return l10n.t('{0} timed out. Check the address and the network (VPN, proxy, firewall).', host);
  if (code === 'ECONNRESET' || code === 'EPIPE' || code.startsWith('HPE_') || code === 'UND_ERR_SOCKET')
    return l10n.t(
      '{0} accepted the connection and closed it again ({1}). Check the port, and whether the address is http or https. A firewall or proxy may be in between.',
      host,
      code,
    );
  return ownWords(error);
}

function ofProxy({ code, address, port, text }: FailureCause, host: string, url: URL | null): string | undefined {
  const ownPort = url?.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url?.port);
  if (code === 'ECONNREFUSED' && port !== undefined && port !== ownPort)
    return l10n.t(
      "Proxy: no proxy is listening at {0}:{1}. Check the editor's setting http.proxy and the variables HTTP_PROXY and HTTPS_PROXY.",
      address ?? '',
      port,
    );
  // Neither fetch nor a tunnel sets a code for these.
  if (/proxy auth/i.test(text) || (/proxy/i.test(text) && /407/.test(text))) return proxyCredentials();
  if (/proxy|tunneling socket/i.test(text))
    return l10n.t(
      "Proxy: it blocked the connection to {0}. Check the editor's setting http.proxy and the variables HTTPS_PROXY and NO_PROXY.",
      host,
    );
  return undefined;
}

function proxyCredentials(): string {
  return l10n.t(
    "Proxy: it asks for credentials (407). Enter them in the editor's setting http.proxy or in HTTPS_PROXY, then try again.",
  );
}

function ofName(code: string, hostName: string, host: string): string | undefined {
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_NODATA':
      return l10n.t(
        'DNS: the name {0} was not found. Check it for typos. If it is right, check the network (VPN, proxy).',
        hostName,
      );
    case 'ECONNREFUSED':
      return l10n.t('The connection to {0} was refused. Check that the service is running, and check the port.', host);
    default:
      return undefined;
  }
}

function ofCertificate(code: string, host: string): string | undefined {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return l10n.t(
        "TLS: the certificate of {0} has expired. Its administrator must renew it. Check this machine's clock too.",
        host,
      );
    case 'CERT_NOT_YET_VALID':
      return l10n.t(
        "TLS: the certificate of {0} is not valid yet. Check this machine's clock. If it is right, the service's administrator must correct the certificate.",
        host,
      );
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return l10n.t('TLS: the certificate of {0} is for another name. Enter the name in the certificate.', host);
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return l10n.t(
        "TLS: this machine does not know the authority of {0}'s certificate ({1}). Add that authority to the system's certificates, then try again.",
        host,
        code,
      );
    default:
      return undefined;
  }
}

function ofTls(code: string, host: string): string {
  if (/^(EPROTO|ERR_SSL_.*)?$/.test(code))
    return l10n.t(
      'TLS: {0} does not speak https ({1}). If it uses plain http, enter the address with http://.',
      host,
      code === '' ? 'TLS' : code,
    );
  return l10n.t('TLS: the certificate of {0} was rejected ({1}). Its administrator must replace it.', host, code);
}

/** The system error beneath an error: fetch and TLS hide it several causes down. */
interface FailureCause {
  /** `ECONNREFUSED`, `CERT_HAS_EXPIRED`, …; empty if there is none. */
  readonly code: string;
  readonly address?: string;
  readonly port?: number;
  /** The messages of all causes, for errors without a code. */
  readonly text: string;
}

export function causeOf(error: unknown): FailureCause {
  const causes = causesOf(error);
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
  const found = causes.find(({ code }) => isText(code));
  return {
    code: isText(found?.code) ? found.code : '',
    address: typeof found?.address === 'string' ? found.address : undefined,
    port: typeof found?.port === 'number' ? found.port : undefined,
    text: causes.flatMap(({ message }) => (typeof message === 'string' ? [message] : [])).join('; '),
  };
}
