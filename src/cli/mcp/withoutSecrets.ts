import { withoutAnsi } from '../../runs/output/ansi.ts';
import { isFields } from '../../shared/fields.ts';
import { redact } from '../../shared/redact.ts';

const mask = '•••';
/** Names of what is secret: of fields, variables, options and parameters. */
const word = String.raw`(?:pass(?:word|wd|phrase|(?![a-z]))|pwd|secret|token|credential|(?:access|account|api|private)[_.-]?key)`;
const secretName = new RegExp(word, 'i');
/** A secret that is kept by the service, which replaces the reference when it starts a run. */
const reference = /^\{\{secrets\/[^{}]{1,300}\}\}$/;

const quote = String.raw`\\{0,8}["']`;
const quoted = String.raw`(?<quote>${quote})(?:(?!\k<quote>)(?:\\{2,9}["']|\\.|[^\r\n]))*`;
/** Up to the next name with a value, or the end of the line, since an unquoted value may contain blanks and commas. */
const unquoted = String.raw`(?:(?![\s,;&}]\s{0,4}(?:${quote})?[\w.-]{1,40}(?:${quote})?\s{0,2}[:=])[^\r\n])+`;
/** `name=value`, `"name": "value"`, and `("name", "value")`. Everything that can be retried is bounded, so that the time is linear. */
const namedValue = new RegExp(
  String.raw`(?<head>${word}[\w.-]{0,100}(?:(?:${quote})?\s{0,9}[:=]>?\s{0,9}|${quote}\s{0,9},\s{0,9}(?=${quote})))(?:${quoted}|${unquoted})`,
  'gi',
);
/** `--name value` and `["--name", "value"]`, and an account key as in a file of Spark's. */
const optionValue = new RegExp(
  String.raw`(?<head>(?:--?[\w.-]{0,60}?${word}|account\.key)[\w.-]{0,100}(?:${quote})?[\s,]{1,9})(?:${quoted}|[^\s"',]+)`,
  'gi',
);
const accessToken = /\bdapi[0-9a-z]{8,}(?:-[0-9]+)?/gi;

/** Returns JSON from a service without its secrets: values whose name suggests one, and credentials in texts. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(withoutAnsi(value));
  if (Array.isArray(value))
    return value.map((item, at) => (isOption(value[at - 1]) ? masked(item) : withoutSecrets(item)));
  if (!isFields(value)) return value;
  const { name, key } = value;
  const isNamed = [name, key].some((each) => typeof each === 'string' && secretName.test(each));
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => {
      const isSecret = secretName.test(field) || (isNamed && (field === 'value' || field === 'default'));
      return [field, isSecret ? masked(each) : withoutSecrets(each)];
    }),
  );
}

function cleanText(text: string): string {
  const replaced = (...found: unknown[]): string => {
    const { head, quote: mark = '' } = found.at(-1) as { head: string; quote?: string };
    return `${head}${mark}${mask}`;
  };
  return redact(text).replace(namedValue, replaced).replace(optionValue, replaced).replace(accessToken, mask);
}

/** Masks everything in a value except what is neither a text nor a number. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (isFields(value)) return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, masked(each)]));
  if (typeof value === 'string') return value === '' || reference.test(value) ? value : mask;
  return typeof value === 'number' || typeof value === 'bigint' ? mask : value;
}

function isOption(item: unknown): boolean {
  return typeof item === 'string' && /^-[^\s=:]*$/.test(item) && secretName.test(item);
}
