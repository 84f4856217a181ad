/** These mean something to the editor's own processes only. */
const editorVariable = /^(vscode_|electron_|node_options$|node_channel|node_unique_id|chrome_)/i;

/** Without what belongs to the editor; tasks get still less of it. */
export function serviceEnvironment(base: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const result: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(base)) if (!editorVariable.test(name)) result[name] = value;
  return { ...result, ELECTRON_RUN_AS_NODE: '1' };
}
