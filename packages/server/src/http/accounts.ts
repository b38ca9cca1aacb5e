import { type Cancel, type Clock, LeakyBucket, type Log } from '@strata/world'
import { type BudgetLimits, budgetLimits, decideOverdraft } from './spending.ts'

/** Closed connections are reported together: a flood must not become a flood of log lines. */
const reportEveryMs = 10_000

/**
 * A request that is reset later than that costs nothing. Otherwise: the store is slow, a proxy sends the requests of many
 * users over one connection, their timeouts end them, and the proxy loses all its watches with the connection.
 */
const patienceMs = 1_000

/** What one connection has cost. Both methods answer false if it has to be closed. */
export class Account {
  readonly #accounts: Accounts
  readonly #own: LeakyBucket
  /** What is surely left of this connection in the shared bucket: as if that had leaked of nothing else. */
  readonly #sharedLeft: LeakyBucket
  #isAuthenticated = false

  constructor(accounts: Accounts) {
    this.#accounts = accounts
    this.#own = new LeakyBucket(accounts.limits.connectionPerSecond)
    this.#sharedLeft = new LeakyBucket(accounts.limits.serverPerSecond)
  }

  /** A client on this connection has shown who it is. What it cost until then is not held against the others. */
  authenticated(): void {
    if (this.#isAuthenticated) return
    this.#isAuthenticated = true
    this.#giveBack(Number.POSITIVE_INFINITY)
  }

  /**
   * A request that presents a credential waits until the server can look at it, and is charged when that turns out to be
   * none (`request`). Otherwise: a server starts, thousands of clients with tokens wait for it to catch up, and their
   * connections are closed as if they had none.
   */
  held(): void {
    if (this.#isAuthenticated) return
    const { requestUnits } = this.#accounts.limits
    this.#own.add(-requestUnits, this.#accounts.nowMs())
    this.#giveBack(requestUnits)
  }

  /** A request begins. */
  request(): boolean {
    return this.#isAuthenticated || this.#charge(this.#accounts.limits.requestUnits)
  }

  /** The client has reset a request before it was answered, after so long. */
  reset(heldMs = 0): boolean {
    return heldMs > patienceMs || this.#charge(this.#accounts.limits.resetUnits)
  }

  #charge(units: number): boolean {
    const { shared, limits, nowMs } = this.#accounts
    const isAuthenticated = this.#isAuthenticated
    const now = nowMs()
    if (!isAuthenticated) this.#sharedLeft.add(units, now)
    const own = this.#own.add(units, now)
    const all = shared.add(isAuthenticated ? 0 : units, now)
    return !decideOverdraft({ isAuthenticated, own, shared: all }, limits)
  }

  /** What has leaked away meanwhile is not given back: it would be taken from other connections. */
  #giveBack(most: number): void {
    const now = this.#accounts.nowMs()
    const units = Math.min(most, this.#sharedLeft.add(0, now))
    this.#sharedLeft.add(-units, now)
    this.#accounts.shared.add(-units, now)
  }
}

/** For one request: what it was not charged while it waited is charged once, if its credential turns out to be none. */
export function heldRequest(
  account: Account,
  close: () => void,
): { readonly onHeld: () => void; readonly onUnauthenticated: () => void } {
  let isOwed = false
  return {
    onHeld: () => {
      isOwed = true
      account.held()
    },
    onUnauthenticated: () => {
      if (!isOwed) return
      isOwed = false
      if (!account.request()) close()
    },
  }
}

/**
 * What all connections cost. A client that has not authenticated must not be able to stop the server for the others:
 *
 *   1. An attacker opens 60 connections, and on each sends requests that it resets at once (HTTP/2 "rapid reset").
 *   2. No connection ever has many streams open, so the limit of concurrent streams does not hold it.
 *   3. The server makes and drops a stream for each, and answers nobody else meanwhile.
 */
export class Accounts {
  readonly limits: BudgetLimits
  readonly shared: LeakyBucket
  readonly nowMs: () => number
  readonly #clock: Clock
  readonly #log: Log
  readonly #byConnection = new WeakMap<object, Account>()
  #closed = 0
  #lastFrom = ''
  /** While this runs, further ones are counted, and reported at its end. */
  #quiet: Cancel | undefined

  constructor(clock: Clock, log: Log, limits: BudgetLimits = budgetLimits) {
    this.limits = limits
    this.shared = new LeakyBucket(limits.serverPerSecond)
    this.nowMs = () => clock.monotonicMs()
    this.#clock = clock
    this.#log = log
  }

  /** `connection` is what stands for it: a session of HTTP/2, a socket of HTTP/1.1. */
  of(connection: object): Account {
    const known = this.#byConnection.get(connection)
    if (known) return known
    const account = new Account(this)
    this.#byConnection.set(connection, account)
    return account
  }

  reportClosed(remoteAddress: string): void {
    this.#closed++
    this.#lastFrom = remoteAddress
    if (!this.#quiet) this.#report()
  }

  /** No timer is left behind. */
  close(): void {
    this.#quiet?.()
    this.#report()
    this.#quiet?.()
  }

  #report(): void {
    this.#quiet = undefined
    if (this.#closed === 0) return
    this.#log.warn('closed connections that reset or send too many requests without authenticating', {
      closed: this.#closed,
      lastFrom: this.#lastFrom,
    })
    this.#closed = 0
    this.#quiet = this.#clock.after(reportEveryMs, () => this.#report())
  }
}
