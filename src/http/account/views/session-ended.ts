/** The `problem` parameter after a form was sent with an expired session. */
export const sessionEnded = 'session-ended';

export const sessionEndedWords =
  'Nothing was changed: your session had ended when you sent the form. Do it again.';
