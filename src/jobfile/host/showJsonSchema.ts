import * as vscode from 'vscode';
import { jobFileJsonSchema } from '../model/jsonSchema.ts';

/** Opens the JSON Schema of job files, for other tools. */
export async function showJsonSchema(): Promise<void> {
  const file = await vscode.workspace.openTextDocument({
    language: 'json',
    content: `${JSON.stringify(jobFileJsonSchema(), null, 2)}\n`,
  });
  await vscode.window.showTextDocument(file);
}
