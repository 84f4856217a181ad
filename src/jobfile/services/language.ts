/** Everything heavy of the job file language in one chunk: the host loads it when the first job file is opened. */
export { complete, type Completion } from './completion.ts';
export { parseDocument, type JobDocument } from '../yaml/document.ts';
export { hover } from './hover.ts';
export { pasteJson } from './pasteJson.ts';
export { quickFixes } from './quickFixes.ts';
export { symbols, type JobSymbol } from './symbols.ts';
export { validate } from './validate.ts';
export { fileReferences } from './workspaceFiles.ts';
