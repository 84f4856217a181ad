/** The database in the data folder; its own file, so that looking for it loads no database. */
export const databaseFileName = 'millrace.db';
