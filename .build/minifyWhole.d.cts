export function minifyWhole(root: string, files: readonly string[]): Promise<void>;
