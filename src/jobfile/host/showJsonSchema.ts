import * as vscode from 'vscode';
import { createJobFileService } from '../services/jobFileService.ts';

/** Opens the JSON Schema of job files, for other tools. */
export async function showJsonSchema(): Promise<void> {
  const file = await vscode.workspace.openTextDocument({
    language: 'json',
    content: `${JSON.stringify(createJobFileService().jsonSchema(), null, 2)}\n`,
  });
  await vscode.window.showTextDocument(file);
}
