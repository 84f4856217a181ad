import { l10n } from './l10n.ts';

/** How a profile authenticates its requests, without secrets. */
export interface SignIn {
  readonly authKind: 'bearer' | 'basic' | 'header' | 'command' | 'none';
  readonly headerName?: string;
  readonly userName?: string;
  /** Owner of the token: the local service's is on this machine. */
  readonly kind?: string;
}

/** A request written for a shell or a program. */
export interface WrittenRequest {
  readonly url: string;
  readonly signIn: SignIn;
  /** The request body. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Variable from which copied requests take the sign-in; the sign-in itself is never copied. */
const tokenVariable = 'MILLRACE_TOKEN';

/** Returns the message for the user about a copied request. */
export function copiedNote({ authKind, kind }: SignIn): string {
  if (authKind === 'none') return l10n.t('Copied. Paste it into a shell.');
  return kind === 'local'
    ? l10n.t(
        "Copied without the sign-in. Set {0} to the token in {1}, next to the local service's log.",
        tokenVariable,
        'service.json',
      )
    : l10n.t('Copied without the sign-in. Set {0} in the shell before you paste the command.', tokenVariable);
}

/** Returns the shell words that authenticate a curl request, with the variable in place of the secret. */
export function curlSignIn({ authKind, headerName, userName }: SignIn): string[] {
  // In double quotes, where the shell expands the variable.
  const variable = `"$${tokenVariable}"`;
  switch (authKind) {
    case 'none':
      return [];
    case 'basic':
      return ['-u', `${shellWord(`${userName ?? ''}:`)}${variable}`];
    case 'header':
      return ['-H', `${shellWord(`${headerName ?? 'Authorization'}: `)}${variable}`];
    case 'bearer':
    case 'command':
      return ['-H', `${shellWord('Authorization: Bearer ')}${variable}`];
  }
}

/**
 * Returns a command that posts JSON of any length and shows the response as it arrives. The JSON is in the lines below the command: a
 * single shell word has a maximum length, and lines are readable.
 */
export function curlCommand({ url, signIn, body }: WrittenRequest): string {
  const words = ['curl', '-sSN', ...curlSignIn(signIn), '-H', "'Content-Type: application/json'", shellWord(url)];
  return `${words.join(' ')} --data-binary @- <<'END'\n${JSON.stringify(body, undefined, 2)}\nEND\n`;
}

/** Returns a program for Python 3 without packages that posts the JSON and prints the response. */
export function pythonProgram({ url, signIn, body }: WrittenRequest): string {
  const header = pythonSignIn(signIn);
  return `import json
import os
import urllib.request
${header.includes('base64.') ? '\nimport base64\n' : ''}
body = ${pythonLiteral(body)}
request = urllib.request.Request(
    ${pythonLiteral(url)},
    data=json.dumps(body).encode(),
    headers={"Content-Type": "application/json"${header}},
)
with urllib.request.urlopen(request) as response:
    answer = json.load(response)
print(json.dumps(answer, indent=2, ensure_ascii=False))
`;
}

function pythonSignIn({ authKind, headerName, userName }: SignIn): string {
  const token = `os.environ["${tokenVariable}"]`;
  switch (authKind) {
    case 'none':
      return '';
    case 'basic':
      return `, "Authorization": "Basic " + base64.b64encode((${pythonLiteral(`${userName ?? ''}:`)} + ${token}).encode()).decode()`;
    case 'header':
      return `, ${pythonLiteral(headerName ?? 'Authorization')}: ${token}`;
    case 'bearer':
    case 'command':
      return `, "Authorization": "Bearer " + ${token}`;
  }
}

/** Writes a JSON value in Python syntax; JSON strings are valid Python strings. */
function pythonLiteral(value: unknown, indent = ''): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}    `;
  const lines = Array.isArray(value)
    ? value.map((each) => `${inner}${pythonLiteral(each, inner)},\n`)
    : Object.entries(value).flatMap(([name, each]) =>
        each === undefined ? [] : [`${inner}${JSON.stringify(name)}: ${pythonLiteral(each, inner)},\n`],
      );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return lines.length === 0 ? open + close : `${open}\n${lines.join('')}${indent}${close}`;
}

/** Quotes any text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
