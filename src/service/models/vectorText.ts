/** A vector as the base64 of its 32-bit floats, which some clients ask for and then expect. */
export function base64Of(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}

/** Whether a request asks for vectors in that form. */
export function wantsBase64(request: Readonly<Record<string, unknown>>): boolean {
  return request['encoding_format'] === 'base64';
}
