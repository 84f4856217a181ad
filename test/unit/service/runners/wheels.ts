import { execFileSync } from 'node:child_process';

/** A wheel or a zip with these files, made by Python's own zipfile. */
export function zip(path: string, files: Record<string, string>): void {
  const script = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for name, text in json.loads(sys.argv[2]).items():
        archive.writestr(name, text)
`;
  execFileSync('python3', ['-c', script, path, JSON.stringify(files)]);
}

/** A wheel of version 1.0 that holds one module. */
export function wheel(path: string, name: string, code: string): void {
  const info = `${name}-1.0.dist-info`;
  zip(path, {
    [`${name}.py`]: code,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: '',
  });
}
