/** Runs of a property: few where everybody waits for them, more by `GRANTBOOK_PROPERTY_RUNS`; a failure prints its seed. */
export const propertyRuns = (usual: number): { readonly numRuns: number } => ({
  numRuns: Number(process.env['GRANTBOOK_PROPERTY_RUNS'] ?? usual),
});
