import { fieldText } from '../../../../src/jobfile/model/fieldText.ts';
import { jobFileType, type Field, type FieldType } from '../../../../src/jobfile/model/fieldTree.ts';
import { assertApproved } from '../../../support/approved.ts';

describe('what an editor says about a field of a job file', () => {
  it('is what was approved, for each of them', () => {
    const told = (fields: ReadonlyMap<string, Field>, path: string): string[] =>
      [...fields.values()].flatMap((field) => [
        `${path}${field.name}\n${fieldText(field)}\n${JSON.stringify({ ...limitsOf(field.type) })}\n\n`,
        ...below(field.type, `${path}${field.name}`),
      ]);
    const below = (type: FieldType, path: string): string[] => {
      if (type.kind === 'object') return told(type.fields, `${path}.`);
      return type.kind === 'list' ? below(type.element, `${path}[]`) : [];
    };
    const limitsOf = (type: FieldType): object => {
      if (type.kind === 'leaf') {
        const { schema: _schema, ...rest } = type;
        return rest;
      }
      if (type.kind === 'map') return { key: limitsOf(type.key), value: limitsOf(type.value) };
      return { kind: type.kind };
    };
    assertApproved('job-file-fields', below(jobFileType, '').join(''));
  });
});
