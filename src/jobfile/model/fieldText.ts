import { l10n } from '../../shared/l10n.ts';
import { listedOr } from '../../shared/text.ts';
import type { Field, FieldType, LeafType } from './fieldTree.ts';

/** Returns the type of a field in one or two words. */
export function typeWords(type: FieldType): string {
  switch (type.kind) {
    case 'object':
      return l10n.t('mapping');
    case 'map':
      return l10n.t('mapping of names to values');
    case 'list':
      return type.element.kind === 'leaf'
        ? listWords(type.element.type, type.element.values)
        : l10n.t('list of mappings');
    case 'leaf':
      switch (type.type) {
        case 'choice':
          return listedOr(type.values);
        case 'integer':
        case 'int64':
          return l10n.t('whole number');
        case 'boolean':
          return l10n.t('true or false');
        case 'scalar':
          return l10n.t('value');
        case 'text':
          return l10n.t('text');
      }
  }
}

/** Returns the type of a list of single values. */
function listWords(type: LeafType['type'], values: readonly string[]): string {
  switch (type) {
    case 'choice':
      return l10n.t('list of {0}', listedOr(values));
    case 'integer':
    case 'int64':
      return l10n.t('list of whole numbers');
    case 'boolean':
      return l10n.t('list of true or false');
    case 'scalar':
      return l10n.t('list of values');
    case 'text':
      return l10n.t('list of texts');
  }
}

/** Returns the API document's description of a field as Markdown. */
export function fieldText(field: Field): string {
  const { meta, type } = field;
  const lines = [
    `**${field.name}** · ${typeWords(type)}${field.required ? ` · ${l10n.t('required')}` : ''}`,
    meta.description,
  ];
  const facts: string[] = [];
  if (meta.default !== undefined) facts.push(l10n.t('Default: {0}', shownDefault(meta.default)));
  if (meta.unit !== undefined) facts.push(l10n.t('Unit: {0}', meta.unit));
  const limits = limitWords(type);
  if (limits !== undefined) facts.push(limits);
  if (meta.deprecated === true) facts.push(l10n.t('Deprecated'));
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
  const minimum = type.min !== undefined && type.min > -int32Limit ? type.min : undefined;
  const maximum = type.max !== undefined && type.max < int32Limit ? type.max : undefined;
  if (minimum !== undefined && maximum !== undefined) return l10n.t('From {0} to {1}', minimum, maximum);
  if (minimum !== undefined) return l10n.t('At least {0}', minimum);
  return maximum === undefined ? undefined : l10n.t('At most {0}', maximum);
}
