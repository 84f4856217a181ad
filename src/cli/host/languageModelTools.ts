import * as vscode from 'vscode';
import { areAgentsOn } from '../../shared/agentsSetting.ts';
import { AppError, describeError, toAppError } from '../../shared/errors.ts';
import { lazy } from '../../shared/lazy.ts';
import type { Logger } from '../../shared/log.ts';
import { shortened } from '../../shared/text.ts';
import type { ToolContext } from '../mcp/agentTool.ts';

/** Prefix of the tools' names in the editor. */
const prefix = 'millrace_';

interface LanguageModelToolOptions {
  readonly log: Logger;
  /** Loads what the tools work on in this window, at the first call. */
  load(): Promise<Omit<ToolContext, 'signal' | 'plans'>>;
}

/**
 * Offers the tools of `millrace mcp` to the language models of the editor. The editor asks the user before those that change something.
 * Nothing is loaded before the first call.
 */
export function registerLanguageModelTools(
  context: vscode.ExtensionContext,
  { log, load }: LanguageModelToolOptions,
): vscode.Disposable {
  const { contributes } = context.extension.packageJSON as {
    contributes: { languageModelTools: readonly { name: string; displayName: string }[] };
  };
  const loadTools = lazy(async () => (await import('../mcp/agentTools.ts')).agentTools);
  const loadContext = lazy(async () => ({ ...(await load()), plans: new Map() }));
  const textOf = async (name: string, given: unknown, signal: AbortSignal): Promise<string> => {
    if (!areAgentsOn(vscode.workspace))
      throw new AppError('unavailable', vscode.l10n.t('Agents are turned off in this window; nothing was done.'));
    const tool = (await loadTools())[name];
    if (!tool) throw new AppError('notFound', `There is no tool ${name}.`);
    const input = tool.input.safeParse(given);
    if (!input.success) throw new AppError('invalid', shortened(input.error.message, 1000));
    return tool.call(input.data, { ...(await loadContext()), signal });
  };
  return vscode.Disposable.from(
    ...contributes.languageModelTools.map(({ name: fullName, displayName }) => {
      const name = fullName.slice(prefix.length);
      return vscode.lm.registerTool<object>(fullName, {
        async prepareInvocation({ input }) {
          if ((await loadTools())[name]?.readOnly !== false) return {};
          const message = new vscode.MarkdownString().appendCodeblock(JSON.stringify(input, undefined, 2), 'json');
          return { confirmationMessages: { title: displayName, message } };
        },
        async invoke({ input }, token) {
          const controller = new AbortController();
          const cancellation = token.onCancellationRequested(() => controller.abort());
          const line = `Agent: ${name} ${JSON.stringify(input).slice(0, 200)}`;
          try {
            const text = await textOf(name, input, controller.signal);
            log.info(`${line}: done`);
            return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
          } catch (error) {
            const words = describeError(toAppError(error));
            log.info(`${line}: ${words}`);
            return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(words)]);
          } finally {
            cancellation.dispose();
          }
        },
      });
    }),
  );
}
