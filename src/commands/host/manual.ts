import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { isFields } from '../../shared/fields.ts';
import { lazy } from '../../shared/lazy.ts';
import { loadJobFileService } from '../loadJobFileService.ts';
import type { LookUpPorts } from '../lookUps/createLookUps.ts';
import type { ManualEntry } from '../lookUps/lookUp.ts';
import { sectionsOf } from '../lookUps/manual.ts';

/** The manuals, relative to `dist/manual`, where the build puts them. */
const files = ['README.md', 'src/service/README.md', 'src/cli/README.md', 'src/commands/README.md'];

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { command: string; title: string }[];
    readonly configuration: readonly {
      properties: Record<string, { markdownDescription?: string; description?: string }>;
    }[];
  };
}

/** What `/help` searches, and how its links are opened. */
export function createManual(): LookUpPorts {
  const extension = vscode.extensions.getExtension('millrace.millrace');
  const uriOf = (file: string): vscode.Uri | undefined =>
    extension && vscode.Uri.joinPath(extension.extensionUri, 'dist', 'manual', file);
  const read = async (file: string): Promise<ManualEntry[]> => {
    const uri = uriOf(file);
    return uri ? sectionsOf(file, await readFile(uri.fsPath, 'utf8')) : [];
  };
  const manual = lazy(async (): Promise<readonly ManualEntry[]> => {
    const sections = (await Promise.all(files.map(read))).flat();
    const { jsonSchema } = await loadJobFileService();
    const own = extension ? entriesOf(extension.packageJSON as Manifest) : [];
    return [...sections, ...own, ...fieldsOf(jsonSchema())];
  });
  return {
    manual,
    async openSection(section) {
      const [, kind, id = ''] = /^(command|setting):(millrace\.[\w.]+)$/.exec(section) ?? [];
      if (kind === 'command') await vscode.commands.executeCommand(id);
      if (kind === 'setting') await vscode.commands.executeCommand('workbench.action.openSettings', `@id:${id}`);
      const [file = '', fragment = ''] = section.split('#');
      const uri = files.includes(file) ? uriOf(file) : undefined;
      if (uri) await vscode.commands.executeCommand('markdown.showPreview', uri.with({ fragment }));
    },
  };
}

/** Returns the commands and settings of the extension, in the language of the editor. */
function entriesOf({ contributes: { commands, configuration } }: Manifest): ManualEntry[] {
  return [
    ...commands.map(({ command, title }) => ({ title, text: '', target: `command:${command}` })),
    ...[configuration].flat().flatMap(({ properties }) =>
      Object.entries(properties).map(([name, { markdownDescription, description = '' }]) => ({
        title: name,
        text: markdownDescription ?? description,
        target: `setting:${name}`,
      })),
    ),
  ];
}

/** Returns the described fields of a JSON Schema at any depth, each once, under its path. */
function fieldsOf(root: unknown): ManualEntry[] {
  const found = new Map<string, ManualEntry>();
  const definitions = new Map(
    isFields(root) && isFields(root['definitions']) ? Object.entries(root['definitions']) : [],
  );
  const meant = (schema: unknown): unknown[] => {
    if (!isFields(schema)) return [];
    const { $ref, allOf, anyOf, items, additionalProperties } = schema;
    const referred = typeof $ref === 'string' ? definitions.get($ref.slice($ref.lastIndexOf('/') + 1)) : undefined;
    return [schema, ...[referred, allOf, anyOf, items, additionalProperties].flat().flatMap(meant)];
  };
  const add = (schemas: readonly unknown[], prefix: string): void => {
    for (const schema of schemas.filter(isFields)) {
      const properties = isFields(schema['properties']) ? schema['properties'] : {};
      for (const [name, field] of Object.entries(properties)) {
        const parts = meant(field);
        const text = parts.filter(isFields).find(({ description }) => typeof description === 'string')?.['description'];
        const key = `${name} ${String(text)}`;
        if (typeof text !== 'string' || found.has(key)) continue;
        found.set(key, { title: prefix + name, text });
        add(parts, `${prefix}${name}.`);
      }
    }
  };
  add(meant(root), '');
  return [...found.values()];
}
