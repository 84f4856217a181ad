/** Which of the editor's icons the extension uses: in its manifest, in texts, and on the rows of its trees. */
import fs from 'node:fs';
import path from 'node:path';
import { root } from './paths.ts';

const inText = /\$\(([a-z][a-z0-9-]*)(?:~\w+)?\)/g;
const inCode = /(?:ThemeIcon\(|icon: (?:\{ id: )?|#messageNode\([^\n]*, )'([a-z][a-z0-9-]*)(?:~\w+)?'/g;

/** Ids without their modifier, in order. */
export function usedIcons(): string[] {
  const sources = fs
    .readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    // What the chat's page shows of its suggestions are pictures of its own.
    .filter((name) => name.endsWith('.ts') && !name.endsWith('timelySuggestions.ts'));
  const manifest = fs.readFileSync(path.join(root, 'package.json'), 'utf8');
  const texts = sources.map((name) => fs.readFileSync(path.join(root, 'src', name), 'utf8'));
  const ids = [
    ...[manifest, ...texts].flatMap((text) => [...text.matchAll(inText)]),
    ...texts.flatMap((text) => [...text.matchAll(inCode)]),
  ];
  return [...new Set(ids.map(([, id]) => id ?? ''))].sort();
}
