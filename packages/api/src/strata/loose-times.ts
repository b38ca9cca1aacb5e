/** The oldest view that a server with the loose guarantee writes by (rule 14): the seed's minute. */
export const oldestLooseViewMs = 60_000

/** How long a commit that was let through by such a view may take; then the server that sends it gives it up. */
export const looseArrivalMs = 10_000

/**
 * How long after a change a write by a loose server can still arrive: the age of its view, plus the time that a write which
 * passed the check at the last moment needs to arrive. Code that relies on what such servers have stored waits this long.
 * There is no bound for a write that a frozen server, the network or the store still holds after the commit was given up
 * (docs/design/agreement.md, "what loose cannot promise").
 */
export const looseSettledMs = oldestLooseViewMs + looseArrivalMs
