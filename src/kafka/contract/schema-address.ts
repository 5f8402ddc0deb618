/** CloudEvents `dataschema`: the schema of a message's data within the document that the service answers. */
export const schemaAddress = (baseUrl: string, type: string): string =>
  `${baseUrl}/asyncapi.json#/components/schemas/${type}`;
