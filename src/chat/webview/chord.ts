/** How long the editor waits for the second key of a chord. */
const chordInMs = 5000;
let chordUntilMs = 0;

/** The editor hears the keys of a page, too: the second one of its chords, which begin with Ctrl+Alt+J, is not text for the page. */
export function leavesChord(event: KeyboardEvent): void {
  if (/^(?:Alt|Control|Meta|Shift)/.test(event.key)) return;
  if (event.timeStamp < chordUntilMs) event.preventDefault();
  const isFirst = event.code === 'KeyJ' && event.altKey && (event.ctrlKey || event.metaKey);
  chordUntilMs = isFirst ? event.timeStamp + chordInMs : 0;
}
