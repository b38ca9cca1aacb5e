export interface BudgetLimits {
  /** The cost of a request whose sender is not known yet. */
  readonly requestUnits: number
  /** The cost of a request that its client resets before the answer. Resets cost the client almost nothing. */
  readonly resetUnits: number
  /** What a connection may cost in a burst. */
  readonly connection: number
  /** The same while all unauthenticated connections together cost too much: a tenth. */
  readonly connectionUnderPressure: number
  /** For a connection with an authenticated client, which pays for resets only. */
  readonly authenticated: number
  readonly connectionPerSecond: number
  /** What all unauthenticated connections together may cost. */
  readonly server: number
  readonly serverPerSecond: number
}

/**
 * An unauthenticated connection may have 100 requests reset in a burst and 10 per second; or send 1,000 requests in a
 * burst and 100 per second. Load balancers and probes send a few. There is no limit by address: many clients share one.
 */
export const budgetLimits: BudgetLimits = {
  requestUnits: 1,
  resetUnits: 10,
  connection: 1_000,
  connectionUnderPressure: 100,
  authenticated: 5_000,
  connectionPerSecond: 100,
  server: 5_000,
  serverPerSecond: 2_000,
}

export interface Spent {
  readonly isAuthenticated: boolean
  /** The cost of this connection. */
  readonly own: number
  /** The cost of all unauthenticated connections. */
  readonly shared: number
}

/** True if the connection must be closed. */
export function decideOverdraft({ isAuthenticated, own, shared }: Spent, limits: BudgetLimits): boolean {
  if (isAuthenticated) return own > limits.authenticated
  return own > (shared > limits.server ? limits.connectionUnderPressure : limits.connection)
}
