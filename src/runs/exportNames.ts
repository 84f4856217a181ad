import type { Job, ViewItem } from '../api/schema/jobs/schemas.ts';

/** Longest base name: leaves room for the id, a counter and the ending within the 255 bytes that file systems allow. */
const maxNameInBytes = 120;

/** Names that Windows keeps for devices, whatever the ending. */
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/**
 * File names for the views of an export, one each, all different and all plain names: a server's text can neither
 * leave the folder nor name a device.
 */
export function exportFileNames(runId: string, views: readonly ViewItem[]): string[] {
  const taken = new Set<string>();
  return views.map((view) => {
    const base = `${safeName(view.name ?? '')}-${runId}${view.type === 'DASHBOARD' ? '-dashboard' : ''}`;
    let name = `${base}.html`;
    for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = `${base}-${count}.html`;
    taken.add(name.toLowerCase());
    return name;
  });
}

/** What the job's file is called, as long as no other has that name. */
export function jobFileName({ job_id: jobId, settings }: Job): string {
  const name = settings?.name?.trim() ?? '';
  return `${name === '' ? `job-${jobId}` : safeName(name.replace(/[\\/\s]+/g, '-'))}.job.yml`;
}

/** The text as a plain file name: separators, control and shell characters become "_", never empty, never hidden. */
export function safeName(text: string): string {
  // No more than the start of an endless name is looked at.
  const last =
    text
      .slice(0, 4096)
      .normalize('NFC')
      .split(/[\\/]/)
      .filter((part) => part !== '')
      .pop() ?? '';
  let name = last
    .replace(/[\u0000-\u001f\u007f-\u009f<>:"|?*\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '_')
    .replace(/^[.\s~-]+|(?<![.\s])[.\s]+$/g, '')
    .slice(0, maxNameInBytes);
  while (new TextEncoder().encode(name).length > maxNameInBytes) name = [...name].slice(0, -1).join('');
  if (name === '') return 'view';
  return reserved.test(name) ? `_${name}` : name;
}
