/** How long the editor waits for the second key of a chord, in milliseconds. */
const chordInMs = 5000;
let chordUntilMs = 0;

/**
 * Prevents the second key of the editor's chords, which begin with Ctrl+Alt+J, from being typed: the editor also handles the keys of a
 * webview.
 */
export function leavesChord(event: KeyboardEvent): void {
  if (/^(?:Alt|Control|Meta|Shift)/.test(event.key)) return;
  if (event.timeStamp < chordUntilMs) event.preventDefault();
  const isFirst = event.code === 'KeyJ' && event.altKey && (event.ctrlKey || event.metaKey);
  chordUntilMs = isFirst ? event.timeStamp + chordInMs : 0;
}
