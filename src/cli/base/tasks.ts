import type { Found, Names } from '../../tasks/find.ts';
import type { Entity, Json, Listed, Page, Part, Task, TaskRefused } from '../../tasks/task.ts';

/**
 * Where the table of tasks is carried out: on the servers of the settings (local-tasks.ts), or by a service, over its API
 * (remote/). What was typed is given as it is, checked against the table; whoever carries it out reads it.
 */
export type Tasks = {
  readonly list: (about: Entity, filters: Json, page: Page) => Promise<Found<Listed>>;
  /** Null for an unknown id. */
  readonly show: (
    about: Entity,
    id: string,
  ) => Promise<Found<{ readonly json: Json; readonly names: Names } | null>>;
  /** Null for an unknown id. */
  readonly listPart: (
    about: Entity,
    part: Part,
    id: string,
    page: Page,
  ) => Promise<Found<(Json & Listed) | null>>;
  /** @param request an empty id where the task makes one */
  readonly perform: (
    about: Entity,
    task: Task,
    request: { readonly id: string; readonly input: Json },
  ) => Promise<
    { readonly ok: true; readonly json: Json; readonly text: string; readonly names: Names } | TaskRefused
  >;
  readonly close: () => Promise<void>;
};

/** Opens the tasks, runs `use`, and closes them in any case. */
export const withTasks = async <T>(
  { openTasks }: { readonly openTasks: () => Promise<Tasks> },
  use: (tasks: Tasks) => Promise<T>,
): Promise<T> => {
  const tasks = await openTasks();
  try {
    return await use(tasks);
  } finally {
    await tasks.close();
  }
};
