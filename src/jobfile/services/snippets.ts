import { l10n } from '../../shared/l10n.ts';
import type { Field, FieldType, ObjectType } from '../model/fieldTree.ts';
import type { CursorContext } from './cursorContext.ts';

/** Optional fields that a rule between fields requires, so that the inserted text is complete. */
const companions: Readonly<Record<string, readonly string[]>> = {
  new_cluster: ['node_type_id', 'num_workers'],
  objstore: ['region'],
  health: ['rules'],
  rules: ['operator'],
};

/** Placeholders in a new field until the user types. */
export const placeholders: Readonly<Record<string, string>> = {
  quartz_cron_expression: '0 0 8 * * ?',
  timezone_id: 'UTC',
  notebook_path: '/notebook',
  python_file: '/main.py',
  num_workers: '1',
  min_workers: '1',
  max_workers: '4',
  metric: 'RUN_DURATION_SECONDS',
  operator: 'GREATER_THAN',
  value: '3600',
};

/** Returns the snippet for a key: its colon, and everything that it requires. */
export function keySnippet(field: Field, context: CursorContext): string {
  const name = context.quoted ? `"${field.name}"` : field.name;
  if (context.hasColon) return name;
  if (context.flow) return `${name}: ${flowValue(field.type, context.quoted)}`;
  const stops = new Stops();
  return `${name}:${blockValue(field, ' '.repeat(context.extraIndent), stops)}`;
}

/** Numbers the tab stops. */
class Stops {
  #count = 0;

  next(text = ''): string {
    this.#count++;
    return text === '' ? `$${this.#count}` : `\${${this.#count}:${escaped(text)}}`;
  }
}

function blockValue(field: Field, indent: string, stops: Stops): string {
  const inner = `${indent}  `;
  switch (field.type.kind) {
    case 'object':
      return requiredLines(field.name, field.type, inner, stops) || `\n${inner}${stops.next()}`;
    case 'list':
      return field.type.element.kind === 'object'
        ? `\n${inner}- ${elementLines(field.name, field.type.element, `${inner}  `, stops)}`
        : `\n${inner}- ${stops.next()}`;
    case 'map':
      return `\n${inner}${stops.next('name')}: ${stops.next('value')}`;
    case 'leaf':
      return ` ${stops.next(placeholders[field.name])}`;
  }
}

function requiredFields(name: string, type: ObjectType): Field[] {
  return [...type.fields.values()].filter((field) => field.required || companions[name]?.includes(field.name));
}

function requiredLines(name: string, type: ObjectType, indent: string, stops: Stops): string {
  return requiredFields(name, type)
    .map((field) => `\n${indent}${field.name}:${blockValue(field, indent, stops)}`)
    .join('');
}

/** Returns the first item of a list of mappings, with its first field after the dash. */
function elementLines(name: string, type: ObjectType, indent: string, stops: Stops): string {
  return requiredLines(name, type, indent, stops).replace(/^\n\s*/, '') || stops.next();
}

/** Returns the snippet for a new line below a key whose value is a list. */
export function itemSnippet(name: string, element: FieldType): string {
  const stops = new Stops();
  return element.kind === 'object' ? `- ${elementLines(name, element, '  ', stops)}` : `- ${stops.next()}`;
}

function flowValue(type: FieldType, quoted: boolean): string {
  switch (type.kind) {
    case 'object':
    case 'map':
      return '{$1\\}';
    case 'list':
      return '[$1]';
    case 'leaf':
      return quoted && type.type === 'text' ? '"$1"' : '$1';
  }
}

/** Returns the field whose value the cursor reaches first when a key is inserted. */
export function firstStop(field: Field): Field | undefined {
  const { type } = field;
  const object =
    type.kind === 'object' ? type : type.kind === 'list' && type.element.kind === 'object' ? type.element : undefined;
  if (!object) return type.kind === 'leaf' ? field : undefined;
  const [first] = requiredFields(field.name, object);
  return first && firstStop(first);
}

/** Workspace files that templates can name; other names are made up. */
export interface TemplateFiles {
  readonly python?: string;
  readonly notebook?: string;
}

function escaped(text: string): string {
  return text.replace(/[$}\\]/g, '\\$&');
}

/** Templates for whole files. */
export const templates = ({
  python = '/main.py',
  notebook = '/notebook',
}: TemplateFiles): readonly {
  label: string;
  detail: string;
  snippet: string;
}[] => [
  {
    label: l10n.t('Python job'),
    detail: l10n.t('A job that runs a Python file'),
    snippet: `name: \${1:my job}\nspark_python_task:\n  python_file: \${2:${escaped(python)}}\n  parameters: [$3]\nexisting_cluster_id: \${4:local}\n`,
  },
  {
    label: l10n.t('Notebook job with a schedule'),
    detail: l10n.t('A notebook with parameters that runs every morning'),
    snippet:
      `name: \${1:my job}\nnotebook_task:\n  notebook_path: \${2:${escaped(notebook)}}\n  base_parameters:\n` +
      '    ${3:name}: ${4:value}\nexisting_cluster_id: ${5:local}\nschedule:\n  quartz_cron_expression: ${6:0 0 8 * * ?}\n  timezone_id: ${7:UTC}\n',
  },
  {
    label: l10n.t('Job with several tasks'),
    detail: l10n.t('A Python file, and a notebook that runs after it'),
    snippet:
      `name: \${1:my job}\ntasks:\n  - task_key: \${2:read}\n    spark_python_task:\n      python_file: \${3:${escaped(python)}}\n` +
      '    existing_cluster_id: ${4:local}\n  - task_key: ${5:report}\n    depends_on:\n      - task_key: ${2:read}\n' +
      `    notebook_task:\n      notebook_path: \${6:${escaped(notebook)}}\n    existing_cluster_id: \${4:local}\n`,
  },
  {
    label: l10n.t('Job on a new cluster'),
    detail: l10n.t('A Python file on a new cluster for each run'),
    snippet:
      `name: \${1:my job}\nspark_python_task:\n  python_file: \${2:${escaped(python)}}\nnew_cluster:\n` +
      '  spark_version: ${3:15.4.x-scala2.12}\n  node_type_id: ${4:local}\n  num_workers: ${5:1}\n',
  },
];
