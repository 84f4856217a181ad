import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
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

const languages = { bash, ini, java, json, markdown, python, r, scala, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language);
highlighter.registerAliases(['javascript', 'js', 'jsx', 'mjs', 'cjs'], { languageName: 'typescript' });
highlighter.registerAliases(['jsonc', 'json5', 'ndjson', 'ipynb'], { languageName: 'json' });
highlighter.registerAliases(['console', 'shell', 'shellsession'], { languageName: 'bash' });
highlighter.registerAliases(['pyspark', 'ipython'], { languageName: 'python' });

/** Longer code stays plain: colours are not worth a stall. About 1,500 lines. */
const longestHighlighted = 60_000;

/** Text, or coloured text: the class names are the highlighter's own, made of its scopes. */
export type HighlightNode = string | { className: string; children: HighlightNode[] };

/** A node of the tree that the highlighter builds before it would write HTML. */
interface ScopeNode {
  scope?: string;
  children: (string | ScopeNode)[];
}

/** The code in coloured pieces, or undefined where the language is not known or the code is too long. */
export function highlight(code: string, language: string): HighlightNode[] | undefined {
  if (language === '' || code.length > longestHighlighted || !highlighter.getLanguage(language)) return undefined;
  const result = highlighter.highlight(code, { language, ignoreIllegals: true });
  const root = (result._emitter as unknown as { rootNode?: ScopeNode }).rootNode;
  return root?.children.map(toNode);
}

function toNode(node: string | ScopeNode): HighlightNode {
  if (typeof node === 'string') return node;
  return { className: classOf(node.scope ?? ''), children: node.children.map(toNode) };
}

function classOf(scope: string): string {
  const first = scope.split('.')[0] ?? '';
  return /^[a-z_-]+$/i.test(first) ? `hljs-${first}` : '';
}
