/** The tools for language models in package.json, made from the tools of `millrace mcp` (`npm run texts`). */
import fs from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { agentTools } from '../../src/cli/mcp/agentTools.ts';
import { root } from './paths.ts';

/** Returns the entries of `contributes.languageModelTools`. */
export function languageModelTools(): object[] {
  return Object.entries(agentTools).map(([name, { description, input }]) => {
    const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
    return {
      name: `millrace_${name}`,
      toolReferenceName: `millrace_${name}`,
      displayName: `%agents.tool.${name}%`,
      modelDescription: description,
      canBeReferencedInPrompt: true,
      when: 'config.millrace.agents.enabled',
      inputSchema,
    };
  });
}

/** Writes them into package.json. */
export function writeLanguageModelTools(): string {
  const file = path.join(root, 'package.json');
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as { contributes: { languageModelTools: object[] } };
  manifest.contributes.languageModelTools = languageModelTools();
  fs.writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  return `package.json: ${manifest.contributes.languageModelTools.length} tools`;
}
