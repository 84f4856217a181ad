import assert from 'node:assert/strict';
import { Anchors } from '../../../../src/jobfile/yaml/anchors.ts';
import type { YamlNode } from '../../../../src/jobfile/yaml/yamlNode.ts';

const node = (start: number): YamlNode => ({ kind: 'scalar', start, end: start + 1, value: start, style: 'plain' });

describe('the anchors of a text', () => {
  it('are the last of their names, and those of before where a part is read again', () => {
    const anchors = new Anchors();
    const [one, two, three] = [node(1), node(2), node(3)];
    const known = (): unknown[] => [anchors.get('a'), anchors.get('b'), anchors.mark];
    assert.deepEqual(known(), [undefined, undefined, 0]);
    anchors.set('a', one);
    const { mark } = anchors;
    anchors.set('a', two);
    anchors.set('b', two);
    anchors.set('a', three);
    assert.deepEqual(known(), [three, two, 4]);
    anchors.backTo(3);
    assert.deepEqual(known(), [two, two, 3]);
    anchors.backTo(mark);
    assert.deepEqual(known(), [one, undefined, 1]);
    anchors.backTo(mark);
    assert.deepEqual(known(), [one, undefined, 1]);
    anchors.set('a', two);
    anchors.set('a', three);
    anchors.backTo(mark);
    assert.deepEqual(known(), [one, undefined, 1]);
    anchors.backTo(0);
    assert.deepEqual(known(), [undefined, undefined, 0]);
  });

  it('may stand in what could not be read, whatever that is', () => {
    const anchors = new Anchors();
    anchors.lose('a: &one [&two,&three] {&four}\n&five-5 x: & y');
    anchors.lose('&six{&seven[&eight');
    assert.deepEqual(
      ['one', 'two', 'three', 'four', 'five-5', 'six', 'seven', 'eight', 'y', 'a', '', 'five'].filter((name) =>
        anchors.mayBeLost(name),
      ),
      ['one', 'two', 'three', 'four', 'five-5', 'six', 'seven', 'eight'],
    );
    assert.equal(anchors.get('one'), undefined);
  });
});
