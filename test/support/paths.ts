import path from 'node:path';

/** The repository's folder; everything the scripts write lies in one of the folders below, all of them ignored by git. */
export const root = path.resolve(import.meta.dirname, '..', '..');
/** Editors, their Node and the sample workspace of `npm start`; kept between runs. */
export const editorCache = path.join(root, '.vscode-test');
/** Results, screenshots, compiled tests; may be deleted at any time. */
export const out = path.join(root, 'out');
export const dist = path.join(root, 'dist');
export const screenshots = path.join(out, 'screenshots');
export const vsixFile = path.join(out, 'millrace.vsix');
