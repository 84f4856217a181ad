import assert from 'node:assert/strict';
import MarkdownIt from 'markdown-it';
import { decodeEntities } from '../../../../src/service/export/entityTable.ts';

describe('HTML entities', () => {
  it('are the characters that the full table has for them, for each name of HTML 4', () => {
    const names =
      'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
      'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute ' +
      'Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml ' +
      'Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml ' +
      'eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml OElig oelig Scaron ' +
      'scaron Yuml fnof circ tilde Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho Sigma ' +
      'Tau Upsilon Phi Chi Psi Omega alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho ' +
      'sigmaf sigma tau upsilon phi chi psi omega thetasym upsih piv ensp emsp thinsp zwnj zwj lrm rlm ndash mdash lsquo rsquo ' +
      'sbquo ldquo rdquo bdquo dagger Dagger bull hellip permil prime Prime lsaquo rsaquo oline frasl euro image weierp real ' +
      'trade alefsym larr uarr rarr darr harr crarr lArr uArr rArr dArr hArr forall part exist empty nabla isin notin ni prod ' +
      'sum minus lowast radic prop infin ang and or cap cup int there4 sim cong asymp ne equiv le ge sub sup nsub sube supe ' +
      'oplus otimes perp sdot lceil rceil lfloor rfloor loz spades clubs hearts diams quot apos amp lt gt AMP LT GT QUOT COPY ' +
      'REG check cross star phone';
    const markdown = new MarkdownIt();
    for (const name of names.split(' ')) {
      // An entity within words keeps its white space.
      const whole = markdown
        .parseInline(`a&${name};b`, {})[0]
        ?.children?.map(({ content }) => content)
        .join('');
      assert.equal(`a${decodeEntities(`&${name};`)}b`, whole, name);
    }
  });

  it('are characters by their numbers, and a sign for those that none has', () => {
    assert.equal(decodeEntities('&#x10ffff;&#xdfff;&#xd7ff;&#xe000;&#1;'), '\u{10ffff}\ufffd\ud7ff\ue000\u0001');
    assert.equal(decodeEntities('&#65;&#x1F600;&#X41;&#0;&#xd800;&#x110000;'), 'A😀A\ufffd\ufffd\ufffd');
  });

  it('stay as they are written where nobody knows them, by their case, too', () => {
    const unknown = '&unknown; &NBSP; &hellip &; &#; &#x; &constructor;';
    assert.equal(decodeEntities(unknown), unknown);
  });
});
