import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import diff from 'highlight.js/lib/languages/diff';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import r from 'highlight.js/lib/languages/r';
import scala from 'highlight.js/lib/languages/scala';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { colouredScopes, type Colours, isHighlightable } from './colours.ts';

const languages = { bash, diff, ini, java, json, markdown, python, r, scala, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language);
highlighter.registerAliases(['javascript', 'js', 'jsx', 'mjs', 'cjs'], { languageName: 'typescript' });
highlighter.registerAliases(['jsonc', 'json5', 'ndjson', 'ipynb'], { languageName: 'json' });
highlighter.registerAliases(['console', 'shell', 'shellsession'], { languageName: 'bash' });
highlighter.registerAliases(['pyspark', 'ipython'], { languageName: 'python' });

/** A node of the tree that the highlighter builds before writing HTML. */
interface ScopeNode {
  readonly scope?: string;
  readonly children: (string | ScopeNode)[];
}

/** Returns the colors of the code, or `undefined` if the language is unknown or the code is too long. */
export function highlight(code: string, language: string): Colours | undefined {
  if (language === '' || !isHighlightable(code) || !highlighter.getLanguage(language)) return undefined;
  const result = highlighter.highlight(code, { language, ignoreIllegals: true });
  const root = (result._emitter as unknown as { rootNode?: ScopeNode }).rootNode;
  if (!root) return undefined;
  const runs: number[] = [];
  addRuns(root, -1, runs);
  return Int32Array.from(runs);
}

function addRuns(node: ScopeNode, outer: number, runs: number[]): void {
  const own = (colouredScopes as readonly string[]).indexOf(node.scope?.split('.')[0] ?? '');
  const colour = own < 0 ? outer : own;
  for (const child of node.children) {
    if (typeof child !== 'string') addRuns(child, colour, runs);
    else if (runs.at(-1) === colour) runs[runs.length - 2] = (runs.at(-2) ?? 0) + child.length;
    else runs.push(child.length, colour);
  }
}
