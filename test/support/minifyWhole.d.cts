export function minifyWhole(root: string, files: readonly string[]): void;
