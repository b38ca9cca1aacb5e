/** Who removes what a server has left that was killed, and when nobody does. */
export const collectorAdvice =
  'by a server with default gates and without --no-collect-expired-servers; if none runs, start "strata controllers"'
