/** A cell as Jupyter saves it. @param source its text, or its lines with the break that ends each */
export const jupyterCell = (kind: 'code' | 'markdown' | 'raw', source: string | readonly string[]): object => ({
  cell_type: kind,
  metadata: {},
  source,
  ...(kind === 'code' && { execution_count: null, outputs: [] }),
});

/** The text of a notebook as Jupyter saves it. */
export const jupyterFile = (cells: readonly object[], metadata: object = {}): string =>
  JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 });
