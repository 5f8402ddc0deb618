/** The path of the published document. */
export const contractPath = '/asyncapi.json';

/** The name of the schema of a message's data among the document's. */
export const schemaName = (type: string): string => type;

/** CloudEvents `dataschema`. */
export const schemaAddress = (baseUrl: string, type: string): string =>
  `${baseUrl}${contractPath}#/components/schemas/${schemaName(type)}`;
