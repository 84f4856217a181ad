import * as vscode from 'vscode';
import type { Profile } from '../../connection/connection.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import { plainText } from '../../shared/plainText.ts';

/** So long a run that was started stands in a message; what lasts longer stands in the status bar. */
const inSightMs = 8000;

/**
 * Tells of runs that were started here until they end, so that the message of the end takes the place of that of the start: first where
 * messages are, then in the status bar, where they are in nobody's way.
 */
export class StartedMessages implements Disposable {
  readonly #ends = new Map<string, () => void>();

  /** @param name of the run as a person knows it */
  started(profile: Profile, runId: string, name: string): void {
    const key = keyOf(profile.id, runId);
    this.#ends.get(key)?.();
    const ended = new Promise<void>((resolve) => this.#ends.set(key, resolve));
    void this.#show(profile, runId, plainText(name), ended);
  }

  /** The run has ended, or is not watched any more: nothing stands beside what is told of that. */
  ended(profileId: string, runId: string): void {
    const key = keyOf(profileId, runId);
    this.#ends.get(key)?.();
    this.#ends.delete(key);
  }

  async #show(profile: Profile, runId: string, name: string, ended: Promise<void>): Promise<void> {
    let isOver = false;
    const over = ended.then(() => (isOver = true));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const outOfSight = new Promise<void>((resolve) => (timer = setTimeout(resolve, inSightMs)));
    const argument = encodeURIComponent(JSON.stringify([{ profileId: profile.id, runId }]));
    const output = `[${vscode.l10n.t('Show Output')}](command:millrace.openRun?${argument})`;
    const told = vscode.l10n.t('Started {0} on {1}.', name, plainText(profile.name));
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: `${told} ${output}` },
      async () => Promise.race([over, outOfSight]),
    );
    clearTimeout(timer);
    if (isOver) return;
    const title = vscode.l10n.t('{0} on {1} is under way', name, profile.name);
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, async () => over);
  }

  dispose(): void {
    for (const end of this.#ends.values()) end();
    this.#ends.clear();
  }
}

function keyOf(profileId: string, runId: string): string {
  return JSON.stringify([profileId, runId]);
}
