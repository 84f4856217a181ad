/** Every schema of the inference document, by its own name. */
export * from './chat.ts';
export * from './completion.ts';
export * from './embedding.ts';
export * from './endpoints.ts';
export * from './requestLimits.ts';
