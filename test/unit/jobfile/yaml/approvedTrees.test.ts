import { findPath, nodeAt, parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import { nodeValue } from '../../../../src/jobfile/yaml/nodeValue.ts';
import type { YamlNode } from '../../../../src/jobfile/yaml/yamlNode.ts';
import { stringifyJson } from '../../../../src/shared/json.ts';
import { readJsonc } from '../../../../src/shared/readJsonc.ts';
import { assertApproved } from '../../../support/approved.ts';
import { planted } from '../plantedTexts.ts';
import { pieces, randomness, shapes as texts } from '../yamlTexts.ts';

describe('what is read of a text as YAML', () => {
  const place = ({ start, end }: { start: number; end: number }): string => `${start}-${end}`;
  const told = (node: YamlNode | null): unknown => {
    if (!node) return null;
    switch (node.kind) {
      case 'map':
        return [
          `{${place(node)}}`,
          ...node.entries.map(({ key, value }) => [`${key.name ?? ''}@${place(key)}`, told(value ?? null)]),
        ];
      case 'seq':
        return [`[${place(node)}]`, ...node.items.map((item) => told(item))];
      case 'alias':
        return `*${place(node)}`;
      default: {
        const { kind: _kind, start: _start, end: _end, ...rest } = node;
        return [place(node), ...Object.values(rest)];
      }
    }
  };
  const written = (text: string): string => {
    const { root, problems } = parseDocument(text);
    const value = stringifyJson(nodeValue(root));
    const wrong = problems.map(({ code, start, end, message }) => `  ${code} ${start}-${end} ${message}\n`);
    return `${JSON.stringify(text)}\n  ${stringifyJson(told(root))}\n  ${value}\n${wrong.join('')}`;
  };

  it('is what was approved, with its places and problems', () => {
    const marked = planted.map(([, text]) => text.replace('⟦', '').replace('⟧', ''));
    assertApproved('yaml-trees', [...texts, ...marked].map(written).join(''));
  });

  it('is what was approved for texts of random pieces', () => {
    const below = randomness(20_260_101);
    const random = Array.from({ length: 300 }, () =>
      Array.from({ length: 2 + below(14) }, () => pieces[below(pieces.length)]).join(''),
    );
    assertApproved('yaml-random', random.map(written).join(''));
  });

  it('is found by its path and by its place', () => {
    const text = texts.slice(7, 12).join('\n');
    const { root } = parseDocument(text);
    const lines: string[] = [];
    for (let offset = 0; offset <= text.length; offset += 1) {
      const found = nodeAt(root, offset);
      const shown = found ? `${JSON.stringify(found.path)} ${Object.keys(found).join(' ')}` : 'nothing';
      if (lines.at(-1)?.endsWith(shown) !== true) lines.push(`${offset} ${shown}`);
    }
    const paths = [['a'], ['a', 'b'], ['a', 1], ['a', 9], ['d', 'c', 2], ['e', 'b'], ['nothing'], ['b', 'x'], []];
    lines.push(
      ...paths.map((path) => `${JSON.stringify(path)} ${JSON.stringify(findPath(root, path)?.node) ?? 'nothing'}`),
    );
    assertApproved('yaml-places', `${lines.join('\n')}\n`);
  });

  it('is read of JSON with comments too', () => {
    const jsonc = [
      '{"a": 1, // x\n /* y */ "b": [9007199254740993,],}',
      '{',
      '[1, 2',
      '"text"',
      '',
      '{"a": tru}',
      '{"a" 1}',
    ];
    const read = (text: string): string => {
      try {
        return stringifyJson(readJsonc(text)) ?? 'undefined';
      } catch (error) {
        return String(error);
      }
    };
    assertApproved('jsonc', jsonc.map((text) => `${text}\n  ${read(text)}\n`).join(''));
  });
});
