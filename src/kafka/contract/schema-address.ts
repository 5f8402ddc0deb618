/** CloudEvents `dataschema`: the schema of a message's data within the AsyncAPI document of the service. */
export const schemaAddress = (baseUrl: string, type: string): string =>
  `${baseUrl}/asyncapi.json#/components/schemas/${type}`;
