/** How a command ended: `changes` if a plan has some. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, changes: 3 } as const;
