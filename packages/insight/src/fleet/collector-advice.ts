/** Which program removes the entries of a killed server, and when none does. */
export const collectorAdvice =
  'by any server that collects expired servers (the default); if none runs, start "strata controllers"'
