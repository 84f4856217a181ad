import { parseComplete } from '../../../../src/jobfile/yaml/completeYaml.ts';
import { parseInParts } from '../../../../src/jobfile/yaml/partialYaml.ts';
import type { Problem } from '../../../../src/jobfile/yaml/problem.ts';
import type { TextRange } from '../../../../src/jobfile/yaml/textRange.ts';
import type { YamlNode } from '../../../../src/jobfile/yaml/yamlNode.ts';
import { stringifyJson } from '../../../../src/shared/json.ts';
import { assertApproved } from '../../../support/approved.ts';
import { planted } from '../plantedTexts.ts';
import { pieces, randomness } from '../yamlTexts.ts';

/** A job as it is written, whose lines are spoiled one after the other. */
const job = `name: a
x-c: &c
  spark_version: v
  node_type_id: n
new_cluster:
  <<: *c
  num_workers: 2
  spark_conf: &conf
    a: "b"
libraries:
- jar: a
- pypi:
    package: b
  # behind
schedule: {timezone_id: UTC}
spark_python_task:
  python_file: /a.py
  parameters: [a, b]
`;

/** What a slip of the finger makes of a line. */
const slips: readonly ((line: string) => string)[] = [
  (line) => line.replace(/:(?=\s|$)/, ''),
  (line) => line.replace(/: /, ':'),
  (line) => line.replace(/: /, ':\u00a0'),
  (line) => line.replace(/:(?=\s|$)/, '：'),
  (line) => ` ${line}`,
  (line) => `   ${line}`,
  (line) => line.replace(/^ /, ''),
  (line) => line.replace(/^ {2}/, ''),
  (line) => line.replace(/^ {2}/, '\t'),
  (line) => line.replace(/: /, ': "'),
  (line) => line.replace(/: /, ': ['),
  (line) => line.replace(/: /, ': {a: '),
  (line) => line.replace(/^- /, '-'),
  (line) => `${line}\n${line}x y`,
  (line) => `- ${line}`,
  (line) => `${line} # c\n\n# d`,
];

/** A tree with its places, in one line. */
function tree(node: YamlNode): string {
  const place = `${node.start}-${node.end}`;
  switch (node.kind) {
    case 'map':
      return `{${place} ${node.entries.map(({ key, value }) => `${key.name}@${key.start}-${key.end}:${tree(value)}`).join(' ')}}`;
    case 'seq':
      return `[${place} ${node.items.map(tree).join(' ')}]`;
    case 'alias':
      return `*${place}${node.target ? `>${node.target.start}` : ''}`;
    default:
      return place;
  }
}

/** What a reader makes of a text: its tree, what is broken, and each mistake. */
function told(
  text: string,
  found: { root: YamlNode | null; problems: readonly Problem[]; broken?: readonly TextRange[] },
): string {
  const broken = (found.broken ?? []).map(({ start, end }) => `${start}-${end}`).join(' ');
  const problems = found.problems.map(
    ({ start, end, message, data }) =>
      `  ${start}-${end} ${message} ${data ? stringifyJson(data) : ''}`.trimEnd() + '\n',
  );
  return (
    `${JSON.stringify(text)}\n  ${found.root ? tree(found.root) : 'nothing'}\n  broken: ${broken}`.trimEnd() +
    `\n${problems.join('')}`
  );
}

function inParts(text: string): string {
  const found = parseInParts(text, { cost: 100_000 });
  return found ? told(text, found) : `${JSON.stringify(text)}\n  as a whole\n`;
}

const mistaken = planted.map(([, text]) => text.replace('⟦', '').replace('⟧', ''));
const below = randomness(20_260_202);
const random = Array.from({ length: 400 }, () =>
  Array.from({ length: 3 + below(14) }, () => pieces[below(pieces.length)]).join(''),
);

describe('what is read of a text in parts', () => {
  it('is what was approved for mistakes in jobs', () =>
    assertApproved('yaml-parts-mistakes', mistaken.map(inParts).join('')));

  it('is what was approved for each slip in each line', () => {
    const lines = job.trimEnd().split('\n');
    const spoiled = lines.flatMap((line, index) =>
      slips
        .map((slip) => slip(line))
        .filter((other) => other !== line)
        .map((other) => `${lines.with(index, other).join('\n')}\n`),
    );
    const short = spoiled.map((text) => inParts(text).split('\n').slice(1).join('\n'));
    assertApproved('yaml-parts-slips', short.join('\n'));
  });

  it('is what was approved for texts of random pieces', () =>
    assertApproved('yaml-parts-random', random.map(inParts).join('')));
});

describe('what the complete parser reads of a text', () => {
  it('is what was approved for mistakes in jobs and texts of random pieces', () =>
    assertApproved('yaml-complete', [...mistaken, ...random].map((text) => told(text, parseComplete(text))).join('')));
});
