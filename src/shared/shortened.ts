/**
 * The text, or its beginning and an ellipsis; no character is cut in half.
 * @param max in UTF-16 units; if it is left out, as much as a message shows of a value or a name
 */
export function shortened(text: string, max = 60): string {
  if (text.length <= max) return text;
  const isHalf = (text.charCodeAt(max - 1) & 0xfc00) === 0xd800;
  return `${text.slice(0, isHalf ? max - 1 : max)}…`;
}
