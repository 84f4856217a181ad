import { AppError, type AppErrorOptions, type ErrorKind } from '../../shared/errors.ts';
import { fieldsOf, type Fields } from '../../shared/fields.ts';
import { causesOf } from '../../shared/http/causes.ts';
import { l10n } from '../../shared/l10n.ts';
import { redact } from '../../shared/redact.ts';
import { sentence, shortened } from '../../shared/text.ts';
import { notDone, notKnown } from './outcome.ts';

/** An error response, including when to retry. */
export class HttpError extends AppError {
  /** Unparsed value of the `Retry-After` header. */
  readonly retryAfter?: string;
  /** Whether the service works but the model server behind it failed. */
  readonly isUpstream: boolean;
  /** The server's message, in sentences. */
  readonly said?: string;

  constructor(
    kind: ErrorKind,
    message: string,
    options: AppErrorOptions & { retryAfter?: string; isUpstream?: boolean; said?: string },
  ) {
    super(kind, message, options);
    this.retryAfter = options.retryAfter;
    this.isUpstream = options.isUpstream ?? false;
    this.said = options.said;
  }
}

/** A response with an error status, and what messages may reveal about it. */
export interface FailedAnswer {
  readonly operation: string;
  /** Whether the operation changes anything; its route says so. */
  readonly mutates?: boolean;
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter?: string;
  /** The body, or the part of it that was read. */
  readonly body: string;
  /** Secrets that must not appear in any message. */
  readonly secrets: readonly string[];
}

/** Content of an error body in any of the known forms. */
export interface ErrorBody {
  readonly errorCode?: string;
  readonly message?: string;
  /** Set if the service reports that the model server behind it failed: whether waiting may fix that. */
  readonly upstreamRetryable?: boolean;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

/** Reads `{error_code, message}`, `{error: {…}}`, `{error: "…"}`, `{message}`, `{detail}` and lists of them. */
export function readErrorFields(value: unknown): ErrorBody {
  const fields = fieldsOf(Array.isArray(value) ? value[0] : value);
  if (!fields) return { message: textOf(value) };
  const inner = fieldsOf(fields['error']) ?? fieldsOf(fields['detail']);
  if (inner) {
    const below = readErrorFields(inner);
    return {
      errorCode: textOf(fields['error_code']) ?? below.errorCode,
      message: below.message ?? textOf(fields['message']),
      ...upstreamOf(fields),
    };
  }
  const [detail] = Array.isArray(fields['detail']) ? (fields['detail'] as unknown[]) : [];
  return {
    errorCode:
      textOf(fields['error_code']) ??
      textOf(fields['errorCode']) ??
      textOf(fields['code']) ??
      textOf(fields['type']) ??
      (textOf(fields['message']) ? textOf(fields['error']) : undefined),
    message:
      textOf(fields['message']) ??
      textOf(fields['error_description']) ??
      textOf(fields['detail']) ??
      textOf(fieldsOf(detail)?.['msg']) ??
      textOf(fields['msg']) ??
      textOf(fields['error']) ??
      textOf(fields['title']),
    ...upstreamOf(fields),
  };
}

function upstreamOf(fields: Fields): Pick<ErrorBody, 'upstreamRetryable'> {
  return fields['source'] === 'upstream' ? { upstreamRetryable: fields['retryable'] === true } : {};
}

/** Reads the same fields from a body's text: JSON, plain text, HTML or nothing. */
export function readErrorBody(body: string, contentType: string): ErrorBody {
  const text = body.trim();
  if (text === '') return {};
  if (/^[[{"]/.test(text)) {
    try {
      return readErrorFields(JSON.parse(text));
    } catch {
      // The body is not JSON or was cut off; it is shown as text below.
    }
  }
  if (/html/i.test(contentType) || /^<(!doctype|html|head|body|\?xml)/i.test(text)) {
    const title = /<(title|h1)[^<>]*>([^<]*)/i.exec(text)?.[2]?.replace(/\s+/g, ' ').trim();
    return { message: title ? l10n.t('web page "{0}"', title) : l10n.t('a web page') };
  }
  return { message: text };
}

const maxMessageLength = 1000;

/** Maximum length of a text that is searched for credentials, which costs more than everything else done with it. */
const maxSearchedLength = 20_000;

/** Returns the server's own text in a form safe and short enough to show. */
export function cleanText(text: string, secrets: readonly string[] = []): string {
  const safe = redact(beginningOf(text, secrets), secrets)
    // Control and direction characters could hide or reorder parts of a message.
    .replace(/[\x00-\x08\x0b-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim();
  return shortened(safe, maxMessageLength);
}

/** Returns the beginning of a long text, ending before any secret that the cut would split. */
function beginningOf(text: string, secrets: readonly string[]): string {
  if (text.length <= maxSearchedLength) return text;
  const cut = secrets.reduce((end, secret) => {
    const at = text.lastIndexOf(secret, maxSearchedLength);
    return secret !== '' && at >= 0 && at + secret.length > maxSearchedLength ? Math.min(end, at) : end;
  }, maxSearchedLength);
  return text.slice(0, cut);
}

/** Some services report a deleted job or run as INVALID_PARAMETER_VALUE; only the message distinguishes it from a wrong value. */
const isGone = /^(?:Job|Run) [0-9]{1,19} does not exist\b/;

function kindOf(status: number, { errorCode, message = '' }: ErrorBody): ErrorKind {
  if (status === 401 || errorCode === 'UNAUTHENTICATED') return 'unauthenticated';
  if (status === 403) return 'forbidden';
  if (status === 404 || errorCode === 'RESOURCE_DOES_NOT_EXIST' || (status === 400 && isGone.test(message)))
    return 'notFound';
  if (status === 408) return 'timeout';
  if (status === 413) return 'tooLarge';
  if (status === 429) return 'rateLimited';
  if (status >= 500) return 'server';
  return status >= 400 ? 'rejected' : 'protocol';
}

/** Operations whose requests hold values that a user wrote; the others only name what exists. */
const hasOwnValues = /create$|reset$|update$|run-now$|submit$|^chat$|^completion$|^embedding$/;

function remedyOf(
  { operation, status }: Pick<FailedAnswer, 'operation' | 'status'>,
  { kind, errorCode, said }: { kind: ErrorKind; errorCode?: string | undefined; said?: string | undefined },
): string | undefined {
  if (status === 407) return l10n.t("A proxy asks for credentials. Enter them in the editor's proxy settings.");
  switch (kind) {
    case 'unauthenticated':
      return l10n.t("Check the profile's token: it may be mistyped, expired or issued for another workspace.");
    case 'forbidden':
      return l10n.t("Ask the workspace's administrator for the permission, or use a profile whose user has it.");
    case 'notFound':
      // A message of several sentences has said what to do.
      if (/\. \p{Lu}/u.test(said ?? '')) return undefined;
      return errorCode !== undefined
        ? l10n.t('Check the ID or name. It may have been deleted.')
        : l10n.t('Check the base URL of the profile: this path does not exist there.');
    case 'rateLimited':
      return l10n.t('Wait a moment and try again.');
    case 'tooLarge':
      return l10n.t('Make the request smaller.');
    case 'server':
      return l10n.t('The server has a problem. Try again later. The request itself is valid.');
    case 'timeout':
      return l10n.t('Try again.');
    case 'protocol':
      return l10n.t('Check the base URL of the profile.');
    default:
      if (said === undefined) return l10n.t("The server gave no reason. Ask the workspace's administrator.");
      if (!hasOwnValues.test(operation))
        return l10n.t("The server's message says why. If it does not help, ask the workspace's administrator.");
      return errorCode === undefined
        ? l10n.t('Correct the request as the message says.')
        : l10n.t('Correct the value that the message names.');
  }
}

function reasonOf(status: number): string {
  switch (status) {
    case 401:
      return l10n.t('the server rejected the credentials');
    case 403:
      return l10n.t("the server does not allow this for the profile's user");
    case 404:
      return l10n.t('the server does not have this');
    case 407:
      return l10n.t('the proxy rejected the credentials');
    case 408:
      return l10n.t('the server timed out while it waited for the request');
    case 413:
      return l10n.t('the request is too large for the server');
    case 429:
      return l10n.t('the server is rate limiting requests');
    case 502:
      return l10n.t('the server behind the gateway sent an invalid response');
    case 503:
      return l10n.t('the server is not available');
    case 504:
      return l10n.t('the server behind the gateway timed out');
  }
  if (status >= 500) return l10n.t('the server failed');
  return status >= 400
    ? l10n.t('the server rejected the request')
    : l10n.t("the server's response does not belong to this API");
}

/** Converts an error status to an error with the cause, what was not done, and the next step. */
export function failureOf(answer: FailedAnswer): HttpError {
  const { operation, status, secrets } = answer;
  const found = readErrorBody(answer.body, answer.contentType);
  const errorCode = found.errorCode === undefined ? undefined : cleanText(found.errorCode, secrets);
  const kind = kindOf(status, found);
  const isUpstream = found.upstreamRetryable !== undefined;
  const reason = isUpstream ? l10n.t('the model server behind the service failed') : reasonOf(status);
  const what = `${operation}: ${reason} (HTTP ${status}${errorCode === undefined ? '' : `, ${errorCode}`})`;
  const said = found.message === undefined ? undefined : sentence(cleanText(found.message, secrets));
  const told = said === undefined ? `${what}.` : l10n.t('{0} and said: {1}', what, said);
  const message = `${told} ${status >= 500 ? outcomeOf(answer) : notDone(operation)}`;
  return new HttpError(kind, message, {
    operation,
    status,
    errorCode,
    retryAfter: answer.retryAfter,
    retryable: found.upstreamRetryable ?? (kind === 'rateLimited' || kind === 'server'),
    isUpstream,
    said,
    // The service's message about its upstream ends with what to do; the profile and its user are not the cause.
    remedy: isUpstream ? undefined : remedyOf(answer, { kind, errorCode, said }),
  });
}

/** Returns the sentence about the outcome. A failed read has changed nothing; a failed change may have been made before the failure. */
function outcomeOf({ operation, mutates }: { readonly operation: string; readonly mutates?: boolean }): string {
  return mutates === true ? notKnown(operation) : notDone(operation);
}

/** Error kinds by the codes that servers send with a success status. */
const kindOfCode: ReadonlyMap<string, ErrorKind> = new Map([
  ['UNAUTHENTICATED', 'unauthenticated'],
  ['PERMISSION_DENIED', 'forbidden'],
  ['RESOURCE_DOES_NOT_EXIST', 'notFound'],
]);

/** Returns the error that a server reports in the body of a success response, or `undefined` if it reports none. */
export function reportedError(
  { operation, mutates, status, secrets }: Omit<FailedAnswer, 'body' | 'contentType'>,
  value: unknown,
): AppError | undefined {
  const fields = fieldsOf(value);
  if (!fields) return undefined;
  const said = readErrorFields(fields);
  const code = said.errorCode === undefined ? undefined : cleanText(said.errorCode, secrets);
  const tellsOfError =
    textOf(fields['error_code']) !== undefined ||
    textOf(fields['error']) !== undefined ||
    fieldsOf(fields['error']) !== undefined ||
    said.message !== undefined;
  if (!tellsOfError) return undefined;
  const what = `${operation}: ${l10n.t('the server reports an error')} (HTTP ${status}${code === undefined ? '' : `, ${code}`})`;
  const text =
    said.message === undefined
      ? `${what}.`
      : l10n.t('{0} and said: {1}', what, sentence(cleanText(said.message, secrets)));
  const kind = kindOfCode.get(code ?? '') ?? 'rejected';
  return new AppError(kind, `${text} ${outcomeOf({ operation, mutates })}`, {
    operation,
    status,
    errorCode: code,
    remedy: remedyOf({ operation, status }, { kind, errorCode: code, said: said.message }),
  });
}

const tlsCode =
  /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH)/;

interface NetworkReason {
  readonly kind: ErrorKind;
  readonly reason: string;
  readonly remedy: string;
  /** Whether the request certainly did not reach the server. */
  readonly unsent: boolean;
}

function networkReason(code: string, host: string): NetworkReason {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EAI_NODATA') {
    return {
      kind: 'network',
      reason: l10n.t('the name {0} was not found', host),
      remedy: l10n.t('Check the base URL for typos, and check the network connection (VPN, proxy).'),
      unsent: true,
    };
  }
  if (code === 'ECONNREFUSED') {
    return {
      kind: 'network',
      reason: l10n.t('no server is listening at {0}', host),
      remedy: l10n.t('Check that the server is running and that host and port of the base URL are right.'),
      unsent: true,
    };
  }
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH' || code === 'ENETDOWN') {
    return {
      kind: 'network',
      reason: l10n.t('{0} is unreachable from this network', host),
      remedy: l10n.t('Check the network connection (VPN, proxy).'),
      unsent: true,
    };
  }
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return {
      kind: 'timeout',
      reason: l10n.t('{0} did not accept the connection in time', host),
      remedy: l10n.t('Check the network connection (VPN, proxy) and the base URL, then try again.'),
      unsent: true,
    };
  }
  if (tlsCode.test(code)) {
    const reason =
      code === 'EPROTO' || code.startsWith('ERR_SSL')
        ? l10n.t('{0} does not speak TLS as expected ({1})', host, code)
        : l10n.t('{0} has a certificate that was rejected ({1})', host, code);
    return {
      kind: 'tls',
      reason,
      remedy: l10n.t(
        "Add the certificate authority to the system's certificates, or correct https and the port in the base URL.",
      ),
      unsent: true,
    };
  }
  return {
    kind: 'network',
    reason: l10n.t('the connection to {0} broke{1}', host, code === '' ? '' : ` (${code})`),
    remedy: l10n.t('Check the network connection and try again.'),
    unsent: false,
  };
}

/** Converts anything that a transport throws before it has a response to an AppError. */
export function networkFailure(
  error: unknown,
  request: {
    readonly operation: string;
    readonly mutates: boolean;
    readonly url: string;
    readonly secrets: readonly string[];
  },
): AppError {
  const { operation, url, secrets } = request;
  const causes = causesOf(error);
  const code =
    causes
      .map((cause) => cause.code)
      .find((entry): entry is string => typeof entry === 'string' && entry !== 'ERR_INVALID_ARG_TYPE') ?? '';
  const { kind, reason, remedy, unsent } = networkReason(code, hostOf(url));
  const innermost = causes[causes.length - 1]?.message;
  const detail =
    code === '' && typeof innermost === 'string' && innermost !== '' ? ` (${cleanText(innermost, secrets)})` : '';
  const outcome = unsent ? notDone(operation) : outcomeOf(request);
  return new AppError(kind, `${operation}: ${reason}${detail}. ${outcome}`, {
    operation,
    cause: error,
    retryable: kind !== 'tls' && code !== 'ENOTFOUND',
    remedy,
  });
}

/** Returns the host and port of a URL, or the text itself if it is not a URL. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
