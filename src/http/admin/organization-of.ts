import type { ReadModels } from '../../projections/read-models.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';

export type NamedOrganization = {
  readonly organizationId: string;
  readonly name: string;
  /** As far as the read models know: a command decides it on the log. */
  readonly isClosed: boolean;
};

/** The organization by its name, or by its id when the read models are unavailable. */
export const organizationOf = async (
  { readModels }: { readonly readModels: Pick<ReadModels, 'organization'> },
  organizationId: string,
): Promise<NamedOrganization> =>
  (await withTimeoutOrNull(1_000, readModels.organization(organizationId))) ?? {
    organizationId,
    name: organizationId,
    isClosed: false,
  };
