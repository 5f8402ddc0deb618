/**
 * Number of runs of a property: few by default, to keep tests fast; more with `GRANTBOOK_PROPERTY_RUNS`; a failure
 * prints its seed.
 */
export const propertyRuns = (usual: number): { readonly numRuns: number } => ({
  numRuns: Number(process.env['GRANTBOOK_PROPERTY_RUNS'] ?? usual),
});
