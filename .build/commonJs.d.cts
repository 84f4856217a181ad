import type { Plugin } from 'esbuild';

export function toCommonJs(
  root: string,
  options: { production: boolean; startup: readonly string[] },
): { plugin: Plugin; addedFiles: readonly string[] };
