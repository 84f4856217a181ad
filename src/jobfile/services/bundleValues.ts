import { fieldsOf, isFields } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';

type Path = readonly PropertyKey[];

/** Values that a bundle has only because it is deployed, as they are on this machine. */
export interface LocalValues {
  /** Workspace path of the folder with the bundle's main file. */
  readonly root: string;
  readonly userName: string;
}

export interface BundleValues {
  /** The target whose settings count, such as `dev`. */
  readonly target: string;
  /** Returns a value with each `${…}` in it replaced; those without a value stay. */
  replaced(value: unknown): unknown;
  /** Returns in words why references that were met stay, or `undefined` if there are none. */
  problem(): string | undefined;
}

const reference = /\$\{([A-Za-z][\w-]*(?:\.[\w-]+|\[\d+\])*)\}/g;
const wholeReference = new RegExp(`^${reference.source}$`);

/** Values can use others; deeper ones are a circle. */
const maxDepth = 20;
/** Maximum references that are replaced, each with the values it leads to; far more than any job has. */
const maxReplaced = 2000;

/**
 * Returns the values that `${…}` stands for, from the default target first.
 * @param files JSON values of the bundle's files
 */
export function bundleValues(files: readonly unknown[], { root, userName }: LocalValues): BundleValues {
  const target = targetOf(files);
  const missing = { variable: new Set<string>(), deployed: new Set<string>(), circle: new Set<string>() };
  /** Lists and mappings within a text. */
  const notText = new Set<string>();
  const local: Readonly<Record<string, string>> = {
    'bundle.target': target,
    'workspace.root_path': root,
    'workspace.file_path': root,
    'workspace.current_user.userName': userName,
    'workspace.current_user.short_name': userName.split('@', 1)[0] ?? '',
  };
  let left = maxReplaced;

  const first = (...path: string[]): unknown =>
    files.map((file) => valueAt(file, path)).find((value) => value !== undefined);

  /** Returns the value at a path below the value of a variable or setting, `undefined` if there is none. */
  function valueOf(name: string, depth: number): unknown {
    if (Object.hasOwn(local, name)) return local[name];
    const [kind = '', second = '', ...rest] = stepsOf(name);
    const own = String(second);
    let value: unknown;
    if (kind === 'var')
      value = ofDefinition(first('targets', target, 'variables', own), true) ?? ofDefinition(first('variables', own));
    else value = first('targets', target, String(kind), own) ?? first(String(kind), own);
    for (const step of rest) {
      // The list or mapping itself can be given by another variable.
      value = valueAt(typeof value === 'string' ? replace(value, depth) : value, [step]);
    }
    return value;
  }

  function replace(value: unknown, depth: number): unknown {
    if (Array.isArray(value)) return value.map((item) => replace(item, depth));
    if (isFields(value))
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replace(inner, depth)]));
    if (typeof value !== 'string') return value;
    const whole = wholeReference.exec(value)?.[1];
    if (whole !== undefined) return given(value, whole, depth);
    return value.replace(reference, (written, name: string, start: number) => {
      const part = given(written, name, depth);
      if (typeof part === 'object') notText.add(written);
      const text = typeof part === 'object' ? written : String(part);
      return text.endsWith('/') && value[start + written.length] === '/' ? text.slice(0, -1) : text;
    });
  }

  function given(written: string, name: string, depth: number): unknown {
    const isTooMuch = depth >= maxDepth || --left < 0;
    const value = isTooMuch ? undefined : valueOf(name, depth + 1);
    if (value !== undefined && value !== null) {
      // A long text costs as much as many short ones.
      if (typeof value === 'string') left -= Math.floor(value.length / 1000);
      return replace(value, depth + 1);
    }
    if (isTooMuch) missing.circle.add(written);
    else if (name.startsWith('var.')) missing.variable.add(written);
    // The ID of another resource is needed only by tasks that cannot run here anyway.
    else if (!name.startsWith('resources.')) missing.deployed.add(written);
    return written;
  }

  return {
    target,
    replaced: (value) => replace(value, 0),
    problem() {
      const [circle] = missing.circle;
      const names = (found: ReadonlySet<string>): string => [...found].slice(0, 10).join(', ');
      if (circle !== undefined)
        return l10n.t('The value of {0} leads back to itself, or through too many others.', circle);
      if (notText.size > 0)
        return l10n.t('{0} is a list or a mapping, which cannot be a part of a text.', names(notText));
      if (missing.variable.size > 0)
        return l10n.t(
          'Neither this file nor the main file of the bundle gives a value for {0}. Give its variable a default there.',
          names(missing.variable),
        );
      return missing.deployed.size > 0 ? onlyDeployed(names(missing.deployed)) : undefined;
    },
  };
}

/** Returns the message about references to what exists only after a deploy. */
export function onlyDeployed(references: string): string {
  return l10n.t('{0} has a value only when the bundle is deployed. Use a variable with a default.', references);
}

/** Returns the name of the target that the command line takes by default; it has one called default if the bundle has none. */
function targetOf(files: readonly unknown[]): string {
  const targets = files.flatMap((file) => Object.entries(fieldsOf(valueAt(file, ['targets'])) ?? {}));
  const [name] =
    targets.find(([, value]) => valueAt(value, ['default']) === true) ??
    targets.find(([, value]) => valueAt(value, ['mode']) === 'development') ??
    (targets.length === 1 ? targets : [])[0] ??
    [];
  return name ?? 'default';
}

/** Returns the value at a path of keys and indexes, `undefined` if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, step) => {
    if (Array.isArray(inner)) return inner[Number(step)];
    return isFields(inner) && Object.hasOwn(inner, step) ? inner[String(step)] : undefined;
  }, value);
}

/** Returns the steps of a name such as `var.clusters[0].size`. */
function stepsOf(name: string): Path {
  return [...name.matchAll(/([\w-]+)|\[(\d+)\]/g)].map(([, field, index]) => field ?? Number(index));
}

/** Fields of a variable's definition. */
const definitionFields: readonly string[] = ['default', 'description', 'lookup', 'type'];

/**
 * Returns the value of a variable.
 * @param ofTarget whether it can stand there without its definition
 */
function ofDefinition(value: unknown, ofTarget = false): unknown {
  if (!isFields(value)) return ofTarget ? value : undefined;
  const isDefinition = !ofTarget || Object.keys(value).every((name) => definitionFields.includes(name));
  return isDefinition ? value['default'] : value;
}
