/** Who acts on the command line without having signed in (HI-06). Events of before there were sign-ins say `operator`. */
export const breakGlass = 'break-glass';

/** Whether the `by` of an event is a user's id. */
export const isUserId = (by: string): boolean => by !== 'operator' && by !== breakGlass;
