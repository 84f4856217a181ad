import type Mocha from 'mocha';
declare const ResultsReporter: Mocha.ReporterConstructor;
export = ResultsReporter;
