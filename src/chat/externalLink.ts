/**
 * The address of a link that may be opened, normalized; undefined for everything that is not http or https, that carries
 * a user name or password, or that is not an address at all. The view and the host both ask, so that neither trusts the other.
 */
export function externalLink(text: string): string | undefined {
  // A browser drops these inside a scheme ("java\nscript:"); an address that needs them is not one we open.
  if (/[\u0000-\u0020\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text)) return undefined;
  if (!/^https?:\/\//i.test(text)) return undefined;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined; // Not an address.
  }
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === '') return undefined;
  return url.username === '' && url.password === '' ? url.href : undefined;
}
