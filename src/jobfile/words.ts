import type { FieldType } from './fieldTree.ts';
import type { ScalarValue, YamlNode } from './yamlNode.ts';

/** "a, b and c" */
export function listed(names: readonly string[], joint = 'and'): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${joint} ${names[names.length - 1] ?? ''}`;
}

/** What a field takes, as it stands behind "must be". */
export function wantedWords(type: FieldType): string {
  switch (type.kind) {
    case 'object':
      return 'a mapping of fields';
    case 'map':
      return 'a mapping of names to values';
    case 'list':
      return 'a list';
    case 'leaf':
      switch (type.type) {
        case 'integer':
        case 'int64':
          return 'a whole number';
        case 'boolean':
          return 'true or false';
        case 'choice':
          return listed(type.values, 'or');
        case 'scalar':
          return 'a single value';
        case 'text':
          return 'text';
      }
  }
}

/** What stands in the file, as it stands behind "is". @param source the value as it was written */
export function foundWords(node: YamlNode, source?: string): string {
  switch (node.kind) {
    case 'map':
      return 'a mapping';
    case 'seq':
      return 'a list';
    case 'alias':
      return `the alias *${node.name}`;
    case 'scalar':
      return scalarWords(node.value, source);
  }
}

function scalarWords(value: ScalarValue, source = String(value)): string {
  if (value === null) return 'empty';
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text "${shortened(value)}"`;
  return typeof value === 'boolean' ? String(value) : `the number ${shortened(source)}`;
}

export function shortened(text: string, most = 60): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
