import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads a style sheet of this folder. esbuild.js copies them to `page` beside the bundle. */
export function pageStyle(name: 'notebook.css' | 'run.css'): string {
  const bundled = join(import.meta.dirname, 'page', name);
  return readFileSync(existsSync(bundled) ? bundled : join(import.meta.dirname, name), 'utf8');
}
