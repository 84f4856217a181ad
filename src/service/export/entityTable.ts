/** Names of characters that follow one another, from the first one's code on. */
const runs: readonly (readonly [first: number, names: string])[] = [
  [
    0xa0,
    'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 ' +
      'acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml ' +
      'Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc ' +
      'Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml ' +
      'aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc ' +
      'otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml',
  ],
  [0x391, 'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho'],
  [0x3a3, 'Sigma Tau Upsilon Phi Chi Psi Omega'],
  [0x3b1, 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf'],
  [0x3c3, 'sigma tau upsilon phi chi psi omega'],
  [0x2002, 'ensp emsp'],
  [0x2009, 'thinsp'],
  [0x200c, 'zwnj zwj lrm rlm'],
];

/** Each name before its character. */
const pairs =
  'quot " amp & lt < gt > apos \' AMP & LT < GT > QUOT " COPY © REG ® fnof ƒ bull • hellip … prime ′ Prime ″ ' +
  'oline ‾ frasl ⁄ weierp ℘ image ℑ real ℜ trade ™ alefsym ℵ larr ← uarr ↑ rarr → darr ↓ harr ↔ crarr ↵ ' +
  'lArr ⇐ uArr ⇑ rArr ⇒ dArr ⇓ hArr ⇔ forall ∀ part ∂ exist ∃ empty ∅ nabla ∇ isin ∈ notin ∉ ni ∋ prod ∏ ' +
  'sum ∑ minus − lowast ∗ radic √ prop ∝ infin ∞ ang ∠ and ∧ or ∨ cap ∩ cup ∪ int ∫ there4 ∴ sim ∼ cong ≅ ' +
  'asymp ≈ ne ≠ equiv ≡ le ≤ ge ≥ sub ⊂ sup ⊃ nsub ⊄ sube ⊆ supe ⊇ oplus ⊕ otimes ⊗ perp ⊥ sdot ⋅ lceil ⌈ ' +
  'rceil ⌉ lfloor ⌊ rfloor ⌋ lang ⟨ rang ⟩ loz ◊ spades ♠ clubs ♣ hearts ♥ diams ♦ OElig Œ oelig œ Scaron Š ' +
  'scaron š Yuml Ÿ circ ˆ tilde ˜ ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † ' +
  'Dagger ‡ permil ‰ lsaquo ‹ rsaquo › euro € check ✓ cross ✗ star ☆ phone ☎ thetasym ϑ upsih ϒ piv ϖ';

let characters: Map<string, string> | undefined;

function readTable(): Map<string, string> {
  const words = pairs.split(' ');
  const table = new Map<string, string>();
  for (let index = 0; index < words.length; index += 2) table.set(words[index] ?? '', words[index + 1] ?? '');
  for (const [first, names] of runs)
    for (const [index, name] of names.split(' ').entries()) table.set(name, String.fromCodePoint(first + index));
  return table;
}

/**
 * A text with its HTML entities as the characters that they stand for: the numbers, and the names that people write, those of HTML 4. The two
 * thousand others are left as they are written: a table of them would be larger than all that reads it.
 */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]{1,8}));/gi,
    (written, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return (characters ??= readTable()).get(name) ?? written;
      const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? '', 16);
      return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
        ? String.fromCodePoint(code)
        : '\ufffd';
    },
  );
}

/** By this name markdown-it asks its package of entities, which this file stands in for. It asks for one entity at a time. */
export { decodeEntities as decodeHTMLStrict };
