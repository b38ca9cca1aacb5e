/** Which program removes the entries of a killed server, and when none does. */
export const collectorAdvice =
  'by a server with default gates and without --no-collect-expired-servers; if none runs, start "strata controllers"'
