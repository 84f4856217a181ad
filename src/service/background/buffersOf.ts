/** The buffers of a value's bytes, or of those in its fields, which are handed over to another thread: a copy of large ones takes time. */
export function buffersOf(value: unknown): ArrayBuffer[] {
  const parts =
    value instanceof Uint8Array ? [value] : typeof value === 'object' && value !== null ? Object.values(value) : [];
  return parts
    .filter((part) => part instanceof Uint8Array)
    .filter(isWhole)
    .map((bytes) => bytes.buffer as ArrayBuffer);
}

/** Small ones may share a buffer with others. */
function isWhole(bytes: Uint8Array): boolean {
  return bytes.byteLength === bytes.buffer.byteLength && bytes.byteLength > 0;
}
