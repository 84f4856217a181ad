import type { Field, FieldType } from './fieldTree.ts';
import { listed } from './words.ts';

/** The type of a field in one or two words. */
export function typeWords(type: FieldType): string {
  switch (type.kind) {
    case 'object':
      return 'mapping';
    case 'map':
      return 'mapping of names to values';
    case 'list':
      return type.element.kind === 'leaf' ? `list of ${plural(typeWords(type.element))}` : 'list of mappings';
    case 'leaf':
      switch (type.type) {
        case 'choice':
          return listed(type.values, 'or');
        case 'integer':
        case 'int64':
          return 'whole number';
        case 'boolean':
          return 'true or false';
        case 'scalar':
          return 'value';
        case 'text':
          return 'text';
      }
  }
}

function plural(word: string): string {
  return word.includes(' ') && word !== 'whole number' ? word : `${word}s`;
}

/** What the document says about a field, as markdown. */
export function fieldText(field: Field): string {
  const { meta, type } = field;
  const lines = [`**${field.name}** · ${typeWords(type)}${field.required ? ' · required' : ''}`, meta.description];
  const facts: string[] = [];
  if (meta.default !== undefined) facts.push(`Default: ${shownDefault(meta.default)}`);
  if (meta.unit !== undefined) facts.push(`Unit: ${meta.unit}`);
  const limits = limitWords(type);
  if (limits !== undefined) facts.push(limits);
  if (meta.deprecated === true) facts.push('Deprecated');
  if (facts.length > 0) lines.push(facts.map((fact) => `- ${fact}`).join('\n'));
  return lines.join('\n\n');
}

function shownDefault(value: unknown): string {
  if (typeof value === 'string' && value.includes(' ')) return value;
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

const int32Limit = 2_147_483_647;

function limitWords(type: FieldType): string | undefined {
  if (type.kind !== 'leaf' || type.type !== 'integer') return undefined;
  const least = type.least !== undefined && type.least > -int32Limit ? type.least : undefined;
  const most = type.most !== undefined && type.most < int32Limit ? type.most : undefined;
  if (least !== undefined && most !== undefined) return `From ${least} to ${most}`;
  if (least !== undefined) return `At least ${least}`;
  return most === undefined ? undefined : `At most ${most}`;
}
