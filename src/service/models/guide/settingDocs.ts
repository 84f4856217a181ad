import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FieldDoc } from './fieldDocs.ts';

interface Setting {
  readonly type?: string | string[];
  readonly enum?: string[];
  readonly enumDescriptions?: string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly markdownDescription?: string;
}

type Words = Readonly<Record<string, string>>;

interface Manifest {
  readonly contributes: { configuration: { properties: Record<string, Setting> }[]; commands: { title: string }[] };
}

/** The editor's settings, as the manifest of the extension tells them. */
export function readSettingDocs(): FieldDoc[] {
  const settings = manifest()?.contributes.configuration.flatMap(({ properties }) => Object.entries(properties)) ?? [];
  return settings.map(([name, setting]) => ({
    kind: 'field',
    area: 'setting of the editor',
    path: name,
    name: name.split('.').at(-1) ?? name,
    type: [setting.type ?? 'text'].flat().join(' or '),
    description: [
      setting.markdownDescription ?? setting.description ?? '',
      ...(setting.enumDescriptions ?? []).map((text, index) => `\`${setting.enum?.[index]}\`: ${text}`),
    ].join(' '),
    ...(isTold(setting.default) && { default: String(setting.default) }),
    limits: [
      ...(setting.minimum === undefined ? [] : [`at least ${setting.minimum}`]),
      ...(setting.maximum === undefined ? [] : [`at most ${setting.maximum}`]),
    ],
    values: setting.enum ?? [],
    required: false,
    deprecated: false,
    children: [],
  }));
}

function isTold(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
}

/** The titles of the extension's commands, as the palette shows them. */
export function readCommandTitles(): string[] {
  return (manifest()?.contributes.commands ?? []).map(({ title }) => title);
}

/** The nearest one above: the program lies in a folder of its extension. */
function manifest(): Manifest | undefined {
  for (let folder = import.meta.dirname; path.dirname(folder) !== folder; folder = path.dirname(folder)) {
    try {
      const text = readFileSync(path.join(folder, 'package.json'), 'utf8');
      const words = JSON.parse(readFileSync(path.join(folder, 'media/l10n/package.nls.json'), 'utf8')) as Words;
      return JSON.parse(text, (_key, value: unknown) =>
        typeof value === 'string' ? (words[/^%(.+)%$/.exec(value)?.[1] ?? ''] ?? value) : value,
      ) as Manifest;
    } catch {
      // Further up.
    }
  }
  return undefined;
}
