import { type Clock, LeakyBucket, type Log } from '@strata/world'
import { type BudgetLimits, budgetLimits, decideOverdraft } from './spending.ts'

/** Closed connections are reported together: a flood must not become a flood of log lines. */
const reportEveryMs = 10_000

/** What one connection has cost. Both methods answer false if it has to be closed. */
export class Account {
  readonly #accounts: Accounts
  readonly #own: LeakyBucket
  #charged = 0
  #isAuthenticated = false

  constructor(accounts: Accounts) {
    this.#accounts = accounts
    this.#own = new LeakyBucket(accounts.limits.connectionPerSecond)
  }

  /** A client on this connection has shown who it is. What it cost until then is not held against the others. */
  authenticated(): void {
    if (this.#isAuthenticated) return
    this.#isAuthenticated = true
    this.#accounts.shared.add(-this.#charged, this.#accounts.nowMs())
  }

  /** A request begins. */
  request(): boolean {
    return this.#isAuthenticated || this.#charge(this.#accounts.limits.requestUnits)
  }

  /** The client has reset a request before it was answered. */
  reset(): boolean {
    return this.#charge(this.#accounts.limits.resetUnits)
  }

  #charge(units: number): boolean {
    const { shared, limits, nowMs } = this.#accounts
    const isAuthenticated = this.#isAuthenticated
    if (!isAuthenticated) this.#charged += units
    const now = nowMs()
    const own = this.#own.add(units, now)
    const all = shared.add(isAuthenticated ? 0 : units, now)
    return !decideOverdraft({ isAuthenticated, own, shared: all }, limits)
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
  readonly #log: Log
  readonly #byConnection = new WeakMap<object, Account>()
  #closed = 0
  #reportedMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, log: Log, limits: BudgetLimits = budgetLimits) {
    this.limits = limits
    this.shared = new LeakyBucket(limits.serverPerSecond)
    this.nowMs = () => clock.monotonicMs()
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
    const now = this.nowMs()
    if (now - this.#reportedMs < reportEveryMs) return
    this.#reportedMs = now
    this.#log.warn('closed connections that reset or send too many requests without authenticating', {
      closed: this.#closed,
      lastFrom: remoteAddress,
    })
    this.#closed = 0
  }
}
