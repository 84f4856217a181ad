import type * as vscode from 'vscode';

export const languageId = 'millrace-job';

/** Job files in YAML and in JSON. The editor itself checks JSON, by the schema of job files; we add what a schema cannot express. */
export const withJson: vscode.DocumentSelector = [languageId, { language: 'json', pattern: '**/*.job.json' }];

export function isJobFile({ languageId: id, fileName }: vscode.TextDocument): boolean {
  return id === languageId || (id === 'json' && fileName.endsWith('.job.json'));
}
