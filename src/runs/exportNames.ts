import type { Job, ViewItem } from '../api/schema/jobs/schemas.ts';

/** Maximum length of a base name: leaves room for the ID, a counter and the extension within the 255 bytes that file systems allow. */
const maxNameInBytes = 120;

/** Names that Windows reserves for devices, with any extension. */
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/** Returns a unique, plain file name for each view of an export: text from a server can neither leave the folder nor name a device. */
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

/** Returns the name of the job's file, provided that no other file has it. */
export function jobFileName({ job_id: jobId, settings }: Job): string {
  const name = settings?.name?.trim() ?? '';
  return `${name === '' ? `job-${jobId}` : safeName(name.replace(/[\\/\s]+/g, '-'))}.job.yml`;
}

/** Returns the text as a plain file name: separators, control and shell characters become "_"; never empty, never hidden. */
export function safeName(text: string): string {
  // Only the start of a very long name is read.
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
