const secretHeader =
  /\b(authorization|proxy-authorization|x-api-key|cookie|set-cookie)\b(["']?\s*[:=]\s*["']?)([^\r\n"']+)/gi;
const bearer = /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{4,}/gi;
/**
 * Up to the first `@`, and across those that a password may contain. A password with a slash is recognized by the colon before it, which
 * does not begin a port. Everything that can be retried is bounded, so that the time is linear.
 */
// oxlint-disable-next-line patterns/linear
const urlCredentials =
  /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)(?:[^/\s@]+@|(?!\[)[^/\s@:]*:(?!\d*\/)(?:(?!:\/\/)[^\s"'<>@]){0,500}@)(?:[^/\s"'<>,;&@]{0,200}@)*/gi;
const proxyCredentials = /^([a-z][a-z0-9+.-]*:\/\/)?.*@/is;
const namedSecret =
  /(["']?\b(?:access_?token|refresh_?token|api_?key|client_?secret|password|token)\b["']?\s*[:=]\s*["']?)([^\s"',;&}]{4,})/gi;

/**
 * Removes credentials from a text: header values, bearer and basic tokens, `user:password@` in URLs, values of fields whose name suggests a
 * secret, and every given secret, also in its base64 and URL-encoded form.
 */
export function redact(text: string, secrets: Iterable<string> = []): string {
  let result = text;
  for (const secret of secrets) {
    if (secret.length < 4) continue;
    for (const form of secretForms(secret)) result = result.split(form).join('•••');
  }
  return result
    .replace(urlCredentials, '$1•••@')
    .replace(secretHeader, '$1$2•••')
    .replace(bearer, '$1 •••')
    .replace(namedSecret, (match, prefix: string, value: string) => (value.startsWith('•••') ? match : `${prefix}•••`));
}

/**
 * Returns a proxy's address without what precedes its last `@`, with or without a scheme. For values that are known to be addresses: a
 * password in them may contain anything.
 */
export function withoutCredentials(address: string): string {
  return address.replace(proxyCredentials, (_match, scheme: string | undefined) => `${scheme ?? ''}•••@`);
}

function secretForms(secret: string): Set<string> {
  const forms = new Set([secret, encodeURIComponent(secret)]);
  const binary = String.fromCharCode(...new TextEncoder().encode(secret));
  forms.add(btoa(binary).replace(/(?<!=)=+$/, ''));
  return forms;
}
