import type { BuildOptions, Metafile, Plugin } from 'esbuild';

export function workerSources(options: BuildOptions, onBuilt?: (metafile: Metafile) => void): Plugin;
