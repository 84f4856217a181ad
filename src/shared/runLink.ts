/** A run that a link names: the profile's ID and the run. */
export interface LinkedRun {
  readonly profileId: string;
  readonly runId: string;
}

const host = 'millrace.millrace';
const path = '/run';

/** Returns a link that opens the run in the editor: `vscode://millrace.millrace/run?profile=local&run_id=5`. */
export function runLink({ profileId, runId }: LinkedRun): string {
  return `vscode://${host}${path}?profile=${encodeURIComponent(profileId)}&run_id=${encodeURIComponent(runId)}`;
}

/**
 * Parses a link, which may come from anywhere.
 * @param link its path and its query, without the question mark
 * @returns `undefined` if it is not such a link
 */
export function readRunLink(link: { readonly path: string; readonly query: string }): LinkedRun | undefined {
  if (link.path !== path) return undefined;
  const fields = new URLSearchParams(link.query);
  const [profileId, runId] = [fields.get('profile') ?? '', fields.get('run_id') ?? ''];
  // A non-negative INT64.
  const isRun = /^\d{1,19}$/.test(runId) && BigInt(runId) < 2n ** 63n;
  return isRun && profileId !== '' && profileId.length <= 200 ? { profileId, runId } : undefined;
}
