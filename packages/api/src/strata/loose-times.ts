/** The oldest view that a server with the loose guarantee writes by (rule 14): the seed's minute. */
export const oldestLooseViewMs = 60_000

/** How long a commit that was let through by such a view may take; then the server that sends it gives it up. */
export const looseArrivalMs = 10_000

/**
 * From when on nothing comes any more that a loose server wrote by what stood before: by its view, and then as long as a
 * write that was let through at the last moment has to arrive. Whoever relies on what such servers have stored waits for as
 * long. What a server that was frozen meanwhile, the network or the store itself still holds when the commit is given up,
 * nobody can bound (docs/design/agreement.md, "what loose cannot promise").
 */
export const looseSettledMs = oldestLooseViewMs + looseArrivalMs
