import { nameProblem, normaliseName } from '../../domain/kernel/name.ts';
import { createOrganization, organizationDecider } from '../../domain/organizations/organization.ts';
import { organizationStream } from '../../domain/streams.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { OutcomeWithProblems } from '../kernel/outcome.ts';
import { startStream } from '../kernel/start-stream.ts';

/** Creates an organization under a new id, without administrators. Names need not be unique. */
export const makeCreateOrganization =
  ({ store, now, newId }: Pick<CommandDependencies, 'store' | 'now' | 'newId'>) =>
  async (
    request: { readonly name: string },
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<{ readonly organizationId: string }, 'invalid'>> => {
    const name = normaliseName(request.name);
    const message = nameProblem(name);
    if (message !== null) return { ok: false, refusal: 'invalid', problems: [{ field: 'name', message }] };
    const organizationId = (context?.once?.newId ?? newId)();
    await startStream(
      store,
      organizationStream(organizationId),
      organizationDecider,
      (organization) => createOrganization(organization, { organizationId, name, now: now() }),
      { context, ...byOperator() },
    );
    return { ok: true, value: { organizationId } };
  };
