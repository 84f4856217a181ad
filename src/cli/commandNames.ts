/** What `millrace` can do, with what follows each; `serve` has a help of its own. */
export const commandNames = {
  check: 'FILE… [--format text|json|sarif|github]',
  deploy: 'FILE… [--plan] [--yes] [--json]',
  pull: 'JOB [FILE] [--yes] [--json]',
  run: 'FILE [--param NAME=VALUE]… [--no-wait] [--yes] [--json]',
  runs: '[FILE] [--limit N] [--json]',
  logs: 'RUN [--follow] [--json]',
  schema: '',
  serve: '--root DIR --data DIR [options]',
} as const;

export type CommandName = keyof typeof commandNames;
