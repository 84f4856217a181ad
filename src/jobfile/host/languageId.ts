import type * as vscode from 'vscode';

export const languageId = 'millrace-job';

/** JSON is the editor's own language, with the schema of job files; what a schema cannot say of it is added to it. */
export const withJson: vscode.DocumentSelector = [languageId, { language: 'json', pattern: '**/*.job.json' }];

export function isJobFile({ languageId: id, fileName }: vscode.TextDocument): boolean {
  return id === languageId || (id === 'json' && fileName.endsWith('.job.json'));
}
