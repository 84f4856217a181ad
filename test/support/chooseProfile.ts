import type { EditorWindow } from './window.ts';

/** Makes the profile of this name the current one, as a user does. */
export async function chooseProfile(window: EditorWindow, name: string): Promise<void> {
  await window.runCommand('Millrace: Choose Profile…');
  await window.pick(name);
}
