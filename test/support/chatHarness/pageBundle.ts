import path from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { workerSources } from '../../../.build/workerSources.cjs';
import { root } from '../paths.ts';

/** A browser bundle of one source file, made as the product's own are. */
export async function bundleForBrowser(entry: string, globalName?: string): Promise<string> {
  const options: BuildOptions & { write: false } = {
    absWorkingDir: root,
    bundle: true,
    write: false,
    platform: 'browser',
    target: ['chrome140'],
    format: 'iife',
    charset: 'utf8',
    logLevel: 'silent',
    alias: { entities: path.join(root, 'src/chat/webview/markdown/entities.ts') },
  };
  const result = await build({
    ...options,
    entryPoints: [path.join(root, entry)],
    globalName,
    plugins: [workerSources(options)],
  });
  return result.outputFiles[0]?.text ?? '';
}
