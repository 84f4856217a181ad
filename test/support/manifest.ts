import fs from 'node:fs';
import path from 'node:path';
import { root } from './paths.ts';

/** package.json with its texts in English, as the editor shows them. */
export function readManifest<T>(): T {
  const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');
  const texts = JSON.parse(read('media/l10n/package.nls.json')) as Record<string, string>;
  return JSON.parse(read('package.json'), (_key, value: unknown) =>
    typeof value === 'string' ? (texts[/^%(.+)%$/.exec(value)?.[1] ?? ''] ?? value) : value,
  ) as T;
}
