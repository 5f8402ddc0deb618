import type { Entity, Json, Listed, Task } from '../../administration/task.ts';
import type { Tasks } from '../base/tasks.ts';
import { NotAllowed } from '../base/not-allowed.ts';
import { RefusedByService } from './refused-by-service.ts';
import type { Answered, Api, Refused } from './api.ts';

type Outcome = { readonly text: string; readonly changed: boolean };

/** Carries out the table of tasks over the operators' API. */
export const remoteTasks = (api: Api, reason: string | undefined): Tasks => {
  const pathOf = ({ plural }: Entity): string => `/operator/api/${plural}`;
  return {
    list: async (about, filters, { after, limit }) =>
      done(await api.ask('GET', pathOf(about), { query: { ...filters, limit, after } })) as Json & Listed,
    show: async (about, id) => {
      const answered = await asked(about, id, (path) => api.ask('GET', path));
      return isUnknown(about, answered) ? null : done(answered);
    },
    listPart: async (about, part, id, { after, limit }) => {
      const answered = await asked(about, id, (path) =>
        api.ask('GET', `${path}/${part.name}`, { query: { limit, after } }),
      );
      return isUnknown(about, answered) ? null : done(answered);
    },
    perform: async (about, task, { id, input }) => {
      const body = { ...input, ...(reason !== undefined && { reason }) };
      const send = (path: string) => api.ask('POST', `${path}/${task.name}`, { body });
      const answered = await (isMaking(about, task) ? send(pathOf(about)) : asked(about, id, send));
      if (!answered.ok) {
        const { code, message, problems } = refusedTask(answered);
        return { ok: false, refusal: code, message, ...(problems && { problems }) };
      }
      const { _outcome, ...json } = answered.json as Json & { readonly _outcome: Outcome };
      const { text, changed } = _outcome;
      return { ok: true, id: String(json[about.idKey]), json, extra: {}, text, changed, isThere: true };
    },
    close: () => Promise.resolve(),
  };
};

const isMaking = ({ making = [] }: Entity, task: Task): boolean => making.includes(task);

const unknownOf = ({ name, noun = name }: Entity, id: string): Refused => ({
  ok: false,
  status: 404,
  kind: `${name}-unknown`,
  code: `${name}-unknown`,
  message: `there is no ${noun} ${id}`,
});

/** An id that an address cannot hold names nothing: a URL drops `.` and `..`, also percent-encoded. */
const asked = async (
  about: Entity,
  id: string,
  ask: (path: string) => Promise<Answered>,
): Promise<Answered> =>
  ['', '.', '..'].includes(id)
    ? unknownOf(about, id)
    : ask(`/operator/api/${about.plural}/${encodeURIComponent(id)}`);

const isUnknown = ({ name }: Entity, answered: Answered): boolean =>
  !answered.ok && answered.kind === `${name}-unknown`;

/** @throws NotAllowed, or RefusedByService for what is no outcome of a task */
const done = (answered: Answered): Json => {
  if (answered.ok) return answered.json;
  throw failureOf(answered);
};

const failureOf = (refused: Refused): Error =>
  refused.status === 403 ? new NotAllowed(refused.code, refused.message) : new RefusedByService(refused);

/** What a task refused; everything else that the service answers ends the command. */
const refusedTask = (refused: Refused): Refused => {
  const isOutcome = refused.status < 500 && ![403, 413, 415, 429].includes(refused.status);
  if (isOutcome && refused.kind !== 'not-found') return refused;
  throw failureOf(refused);
};
