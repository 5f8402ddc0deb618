/** The `problem` in the address of a page that somebody comes to whose form was sent after the session had ended. */
export const sessionEnded = 'session-ended';

export const sessionEndedWords =
  'Nothing was changed: your session had ended when you sent the form. Please do it again.';
