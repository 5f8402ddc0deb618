/** The value of a personal field once its key is deleted. */
export const erased = 'erased';

/** The value where the key is missing but nobody was erased, for example because a restored backup does not have it. */
export const keyLost = 'key lost';

/** Whether a personal field no longer says anything about the person. */
export const isUnreadable = (field: string): boolean => field === erased || field === keyLost;
