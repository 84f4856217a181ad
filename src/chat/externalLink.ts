/**
 * Returns the normalized URL of a link that may be opened. Returns `undefined` for anything that is not http or https, contains a user name
 * or password, or is not a URL. Both the view and the host call this, so that neither relies on the other.
 */
export function externalLink(text: string): string | undefined {
  // A browser removes these characters inside a scheme ("java\nscript:"); refuse a URL that contains them.
  if (/[\u0000-\u0020\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text)) return undefined;
  if (!/^https?:\/\//i.test(text)) return undefined;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined; // Not a URL.
  }
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === '') return undefined;
  return url.username === '' && url.password === '' ? url.href : undefined;
}
