export interface BudgetLimits {
  /** What a request costs whose sender is not known yet. */
  readonly requestUnits: number
  /** What a request costs that its client resets before it is answered: next to nothing for the client. */
  readonly resetUnits: number
  /** What a connection may cost at once. */
  readonly connection: number
  /** The same while all unauthenticated connections together cost too much: a tenth. */
  readonly connectionUnderPressure: number
  /** A connection on which a client has authenticated pays for resets only. */
  readonly authenticated: number
  readonly connectionPerSecond: number
  /** What all connections that have not authenticated may cost together. */
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
  /** By this connection. */
  readonly own: number
  /** By all connections that have not authenticated. */
  readonly shared: number
}

/** True if the connection has to be closed. */
export function decideOverdraft({ isAuthenticated, own, shared }: Spent, limits: BudgetLimits): boolean {
  if (isAuthenticated) return own > limits.authenticated
  return own > (shared > limits.server ? limits.connectionUnderPressure : limits.connection)
}
