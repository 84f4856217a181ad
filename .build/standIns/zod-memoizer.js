// In place of zod's search for values that hold themselves: what it is given comes from JSON or from our own reader, and cannot.
export const memoizer = () => undefined;
export const isBackEdge = () => false;
export const isRecursiveSchema = isBackEdge;
export class $ZodCyclicError extends Error {}
