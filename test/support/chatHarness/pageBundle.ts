import path from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { webOptions, workerSources } from '../../../esbuild.js';
import { root } from '../paths.ts';

/** A browser bundle of one source file, built as the product's own are. */
export async function bundleForBrowser(entry: string, globalName?: string): Promise<string> {
  const { outputFiles } = await build({
    ...(webOptions as BuildOptions),
    minify: false,
    logLevel: 'silent',
    write: false,
    entryPoints: [path.join(root, entry)],
    globalName,
    plugins: [workerSources],
  });
  return outputFiles?.[0]?.text ?? '';
}
