export const languageId = 'millrace-job';
