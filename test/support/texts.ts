/**
 * The texts that people read, collected from the sources into media/l10n/bundle.l10n.json (`npm run texts`), from which
 * translations are made: bundle.l10n.<language>.json beside it, with the English texts as keys.
 */
import fs from 'node:fs';
import path from 'node:path';
import { root } from './paths.ts';

export const bundleFile = path.join(root, 'media', 'l10n', 'bundle.l10n.json');

const literal = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g;
/** A long text is written as several literals, joined by `+`. */
const quotedText = new RegExp(
  `\\bl10n\\.t\\(\\s*(?:((?:${literal.source})(?:\\s*\\+\\s*(?:${literal.source}))*),?\\s*[,)])?`,
  'g',
);

/** Every text of `l10n.t(…)` below a folder, sorted; `problems` are calls whose text cannot be read off, as `file:line`. */
export function collectTexts(source = path.join(root, 'src')): { texts: string[]; problems: string[] } {
  const texts = new Set<string>();
  const problems: string[] = [];
  for (const name of fs
    .readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))) {
    const code = fs.readFileSync(path.join(source, name), 'utf8');
    for (const call of code.matchAll(quotedText)) {
      const literals = call[1]?.match(literal);
      if (literals) texts.add(literals.map(unquoted).join(''));
      // The extension hands the editor's own function on.
      else if (!code.startsWith('l10n.t(message, ...values', call.index))
        problems.push(`${name.split(path.sep).join('/')}:${code.slice(0, call.index).split('\n').length}`);
    }
  }
  return { texts: [...texts].sort(), problems };
}

/** The bundle's content: each text is its own key, as the editor's translation tools expect it. */
export function bundleText(texts: readonly string[]): string {
  return `${JSON.stringify(Object.fromEntries(texts.map((text) => [text, text])), null, 2)}\n`;
}

/** Writes the bundle of the sources. @throws Error if a text cannot be read off */
export function writeBundle(): string {
  const { texts, problems } = collectTexts();
  if (problems.length > 0)
    throw new Error(
      `These texts cannot be read off, so nothing was written: ${problems.join(', ')}. Give l10n.t a quoted text.`,
    );
  fs.mkdirSync(path.dirname(bundleFile), { recursive: true });
  fs.writeFileSync(bundleFile, bundleText(texts));
  return `${path.relative(root, bundleFile)}: ${texts.length} texts`;
}

function unquoted(literal: string): string {
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t' };
  return literal.slice(1, -1).replace(/\\(.)/g, (_all, character: string) => escapes[character] ?? character);
}

if (process.argv[1] === import.meta.filename) {
  console.log(writeBundle());
  const { writeJsonSchema } = await import('./jsonSchemaFile.ts');
  console.log(writeJsonSchema());
  const { writeLanguageModelTools } = await import('./languageModelTools.ts');
  console.log(writeLanguageModelTools());
}
