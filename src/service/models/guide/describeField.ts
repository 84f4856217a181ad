import type { FieldDoc } from './fieldDocs.ts';

/** Type, unit, default, limits and values in one line. */
export function factsOf(field: FieldDoc): string {
  const facts = [field.unit ? `${field.type}, in ${unitName(field.unit)}` : field.type];
  facts.push(field.required ? 'required' : 'optional');
  if (field.default !== undefined) facts.push(`default: ${plainDefault(field.default)}`);
  if (field.limits.length > 0) facts.push(field.limits.join(', '));
  if (field.values.length > 0) facts.push(`values: ${field.values.map((value) => `\`${value}\``).join(', ')}`);
  if (field.deprecated) facts.push('deprecated');
  return facts.join(' · ');
}

/** A default that is a sentence stays text, one that is a value is marked as code. */
function plainDefault(value: string): string {
  return /\s/.test(value) ? value : `\`${value}\``;
}

function unitName(unit: string): string {
  return ({ s: 'seconds', ms: 'milliseconds' } as Record<string, string>)[unit] ?? unit;
}

/** One field in full. */
export function fieldSection(field: FieldDoc): string {
  const children =
    field.children.length > 0
      ? `\n\nFields below it: ${field.children.map((child) => `\`${child}\``).join(', ')}.`
      : '';
  return `**\`${field.path}\`** (${field.area})\n${factsOf(field)}\n\n${field.description}${children}`;
}

/** One field as an item of a list. */
export function fieldItem(field: FieldDoc): string {
  return `- \`${field.path}\` (${factsOf(field)}): ${firstSentence(field.description)}`;
}

function firstSentence(text: string): string {
  return /^.+?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}
