import * as z from 'zod';
import { field, text } from '../field.ts';

/** `group:artifact:version`; Gradle's form adds a packaging and a classifier between or after them. */
const mavenCoordinates = () =>
  text()
    // For an empty text, report nothing else.
    .min(1, { abort: true })
    .refine((coordinates) => /^[^\s:]+(?::[^\s:]+){2,4}$/.test(coordinates), {
      error: 'must be Maven coordinates of group, artifact and version, such as org.jsoup:jsoup:1.7.2',
    });

/** Jobs API 2.0, Library. */
const pythonPyPiLibrary = z.looseObject({
  package: field(
    text().min(1),
    'The PyPI package to install. An exact version may be given, such as `simplejson==3.8.0`.',
  ),
  repo: field(text().optional(), 'The repository where the package is found.', { default: 'the default pip index' }),
});

const mavenLibrary = z.looseObject({
  coordinates: field(mavenCoordinates(), 'Gradle-style Maven coordinates, such as `org.jsoup:jsoup:1.7.2`.'),
  repo: field(text().optional(), 'Maven repository to install from.', {
    default: 'the central repository and the Spark package repository are searched',
  }),
  exclusions: field(
    z.array(text()).optional(),
    'Dependencies to exclude, such as `["slf4j:slf4j", "*:hadoop-client"]`.',
  ),
});

const rCranLibrary = z.looseObject({
  package: field(text().min(1), 'The CRAN package to install.'),
  repo: field(text().optional(), 'The repository where the package is found.', {
    default: 'the default CRAN repository',
  }),
});

/** Jobs API 2.0, Library: exactly one of the fields. */
export const library = z.looseObject({
  jar: field(
    text().min(1).optional(),
    'URI of a JAR (file-system or object-storage URI), such as `dfs:/libs/app.jar`. For object storage ' +
      'the cluster needs read access, possibly through an instance profile.',
  ),
  egg: field(
    text().min(1).optional(),
    'URI of an egg (file-system or object-storage URI). For object storage the cluster needs read access, possibly through an instance profile.',
  ),
  whl: field(
    text().min(1).optional(),
    'URI of a wheel or of zipped wheels. The file name must follow the wheel naming convention; zipped wheels end in `.wheelhouse.zip`.',
  ),
  pypi: field(pythonPyPiLibrary.optional(), 'Package from a Python package index.'),
  maven: field(mavenLibrary.optional(), 'Package from a Maven repository.'),
  cran: field(rCranLibrary.optional(), 'Package from a CRAN repository.'),
});

/** Library kinds of later versions. */
export const foreignLibraryKinds = ['requirements'] as const;

export const libraryKinds = ['jar', 'egg', 'whl', 'pypi', 'maven', 'cran'] as const;
