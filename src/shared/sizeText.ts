/** A size for people: bytes, or characters if a text is meant, in the unit that makes it short. */
export function sizeText(size: number): string {
  if (size < 1_000_000) {
    const kilobytes = size / 1000;
    return `${kilobytes < 10 ? Math.max(0.1, Math.round(kilobytes * 10) / 10) : Math.round(kilobytes)} KB`;
  }
  return `${Math.round(size / 100_000) / 10} MB`;
}
