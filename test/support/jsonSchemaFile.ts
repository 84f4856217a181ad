/** The JSON Schema of job files as it is in the package, for the editors that read it from there. */
import fs from 'node:fs';
import path from 'node:path';
import { createJobFileService } from '../../src/jobfile/services/jobFileService.ts';
import { root } from './paths.ts';

export const jsonSchemaFile = path.join(root, 'media', 'job-file.schema.json');

export function jsonSchemaText(): string {
  return `${JSON.stringify(createJobFileService().jsonSchema(), null, 2)}\n`;
}

/** Writes the file from the sources. */
export function writeJsonSchema(): string {
  const text = jsonSchemaText();
  fs.writeFileSync(jsonSchemaFile, text);
  return `${path.relative(root, jsonSchemaFile)}: ${text.length} characters`;
}
