import type { CommandContext } from '../../../src/commands/kernel/context.ts';
import type { CommandDependencies } from '../../../src/commands/kernel/dependencies.ts';
import { handle } from '../../../src/commands/kernel/handle.ts';
import type { Outcome } from '../../../src/commands/kernel/outcome.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import type { Decider, Decision } from '../../../src/domain/kernel/decision.ts';
import { addonStream } from '../../../src/domain/streams.ts';
import { type Paint, paintAddon, paintDecider } from './paint.ts';

type Request = { readonly addonId: string; readonly color: 'red' | 'green'; readonly by: string };

/** As in `src`, but for two casts: the compiler knows the types of events that `src` describes. */
export const makePaintAddon =
  ({ store, now }: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (
    { addonId, ...paint }: Request,
    context?: CommandContext,
  ): Promise<Outcome<{ readonly color: string | null }, 'only-once'>> => {
    const { refusal, state } = await handle(
      store,
      addonStream(addonId),
      paintDecider as unknown as Decider<Paint, DomainEvent>,
      (known) => paintAddon(known, { ...paint, now: now() }) as Decision<never, 'only-once'>,
      { context, metadata: { actor: paint.by } },
    );
    return refusal ? { ok: false, refusal } : { ok: true, value: state };
  };
