import path from 'node:path';
import { build } from 'esbuild';
import { root } from '../paths.ts';

/** A browser bundle of one source file, made as the product's own are. */
export async function bundleForBrowser(entry: string, globalName?: string): Promise<string> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [path.join(root, entry)],
    bundle: true,
    write: false,
    platform: 'browser',
    target: ['chrome140'],
    format: 'iife',
    globalName,
    charset: 'utf8',
    logLevel: 'silent',
  });
  return result.outputFiles[0]?.text ?? '';
}
