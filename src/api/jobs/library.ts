import * as z from 'zod';
import { field } from '../field.ts';

/** Jobs API 2.0, Library. */
export const pythonPyPiLibrary = z.looseObject({
  package: field(z.string().min(1), 'The PyPI package to install. An exact version may be given, such as `simplejson==3.8.0`.'),
  repo: field(z.string().optional(), 'The repository where the package is found.', { default: 'the default pip index' }),
});

export const mavenLibrary = z.looseObject({
  coordinates: field(z.string().min(1), 'Gradle-style Maven coordinates, such as `org.jsoup:jsoup:1.7.2`.'),
  repo: field(z.string().optional(), 'Maven repository to install from.', {
    default: 'the central repository and the Spark package repository are searched',
  }),
  exclusions: field(z.array(z.string()).optional(), 'Dependencies to exclude, such as `["slf4j:slf4j", "*:hadoop-client"]`.'),
});

export const rCranLibrary = z.looseObject({
  package: field(z.string().min(1), 'The CRAN package to install.'),
  repo: field(z.string().optional(), 'The repository where the package is found.', { default: 'the default CRAN repository' }),
});

/** Jobs API 2.0, Library: exactly one of the fields. */
export const library = z.looseObject({
  jar: field(z.string().optional(), 'URI of a JAR (file-system or object-storage URI), such as `dfs:/libs/app.jar`. For object storage the cluster needs read access, possibly through an instance profile.'),
  egg: field(z.string().optional(), 'URI of an egg (file-system or object-storage URI). For object storage the cluster needs read access, possibly through an instance profile.'),
  whl: field(z.string().optional(), 'URI of a wheel or of zipped wheels. The file name must follow the wheel naming convention; zipped wheels end in `.wheelhouse.zip`.'),
  pypi: field(pythonPyPiLibrary.optional(), 'Package from a Python package index.'),
  maven: field(mavenLibrary.optional(), 'Package from a Maven repository.'),
  cran: field(rCranLibrary.optional(), 'Package from a CRAN repository.'),
});

export const libraryKinds = ['jar', 'egg', 'whl', 'pypi', 'maven', 'cran'] as const;
export type Library = z.output<typeof library>;
