import { type Cancel, type Clock, LeakyBucket, type Log } from '@strata/world'
import { type BudgetLimits, budgetLimits, decideOverdraft } from './spending.ts'

/** Closed connections are reported together, so that a flood of requests is not a flood of log lines. */
const reportEveryMs = 10_000

/**
 * A request that is reset later than that costs nothing. Otherwise: the store is slow; a proxy sends the requests of many
 * users over one connection; their timeouts reset them; and the proxy loses the connection with all its watches.
 */
const patienceMs = 1_000

/** The cost of one connection. `request` and `reset` return false if the connection must be closed. */
export class Account {
  readonly #accounts: Accounts
  readonly #own: LeakyBucket
  /** A lower bound of this connection's share of the shared bucket: as if only this share had leaked. */
  readonly #sharedLeft: LeakyBucket
  #isAuthenticated = false

  constructor(accounts: Accounts) {
    this.#accounts = accounts
    this.#own = new LeakyBucket(accounts.limits.connectionPerSecond)
    this.#sharedLeft = new LeakyBucket(accounts.limits.serverPerSecond)
  }

  /** A client on this connection has authenticated. Its cost so far is taken out of the shared bucket. */
  authenticated(): void {
    if (this.#isAuthenticated) return
    this.#isAuthenticated = true
    this.#giveBack(Number.POSITIVE_INFINITY)
  }

  /**
   * A request with a credential waits until the server can check it, and is charged if the check fails (`request`).
   * Otherwise: a server starts; thousands of clients with tokens wait until its cache is filled; and their connections are
   * closed as if they had no tokens.
   */
  held(): void {
    if (this.#isAuthenticated) return
    const { requestUnits } = this.#accounts.limits
    this.#own.add(-requestUnits, this.#accounts.nowMs())
    this.#giveBack(requestUnits)
  }

  /** Charges a new request. */
  request(): boolean {
    return this.#isAuthenticated || this.#charge(this.#accounts.limits.requestUnits)
  }

  /** Charges a request that the client has reset before the answer, `heldMs` after it began. */
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

  /** Units that have leaked in the meantime are not given back: they would be taken from other connections. */
  #giveBack(most: number): void {
    const now = this.#accounts.nowMs()
    const units = Math.min(most, this.#sharedLeft.add(0, now))
    this.#sharedLeft.add(-units, now)
    this.#accounts.shared.add(-units, now)
  }
}

/** Charges a waiting request once, if its credential turns out to be invalid. */
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
 * The cost of all connections. A client that has not authenticated must not stop the server for others:
 *
 * 1. An attacker opens 60 connections, and on each sends requests that it resets at once (HTTP/2 "rapid reset").
 * 2. No connection has many streams open at a time, so the limit of concurrent streams does not apply.
 * 3. The server creates and drops a stream for each request, and answers no other client.
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
  /** Until this timer ends, closed connections are only counted. */
  #quiet: Cancel | undefined

  constructor(clock: Clock, log: Log, limits: BudgetLimits = budgetLimits) {
    this.limits = limits
    this.shared = new LeakyBucket(limits.serverPerSecond)
    this.nowMs = () => clock.monotonicMs()
    this.#clock = clock
    this.#log = log
  }

  /** `connection` identifies it: the HTTP/2 session or the HTTP/1.1 socket. */
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

  /** Leaves no timer behind. */
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
