import { deadline, TransportError } from '@strata/world'
import type { NodeTransport } from '@strata/world/node'
import type { CliContext } from '../../context.ts'
import type { FleetBoard } from '../state/fleet-board.ts'
import { type Member, type MemberEvent, startMember } from './member.ts'
import { observeReadiness } from './observe-readiness.ts'
import { untilReady } from './until-ready.ts'

/** How long a server may take to finish its requests and to remove its entries. */
const drainMs = 20_000

export interface FleetServerOptions {
  readonly name: string
  readonly url: string
  readonly logFile: string
  /** Sends requests to this server alone, as the administrator. */
  readonly transport: NodeTransport
  /** The arguments of `strata` for a release of the kinds. */
  readonly argsOf: (release: string) => readonly string[]
}

/** One API server of the fleet: a process that is replaced by another one at each restart. The board shows what it does. */
export class FleetServer {
  readonly name: string
  readonly url: string
  readonly transport: NodeTransport
  readonly #options: FleetServerOptions
  readonly #context: CliContext
  readonly #board: FleetBoard
  #member: Member | undefined
  /** Ends what waits for the present process to become ready. */
  #run = new AbortController()
  #freeze = new AbortController()

  constructor(options: FleetServerOptions, board: FleetBoard, context: CliContext) {
    this.name = options.name
    this.url = options.url
    this.transport = options.transport
    this.#options = options
    this.#board = board
    this.#context = context
  }

  get pid(): number | undefined {
    return this.#member?.pid
  }

  /** Aborted when the server is frozen: what it was answering then, it does not finish. */
  get freezeSignal(): AbortSignal {
    return this.#freeze.signal
  }

  /** Starts the process, without waiting for it. */
  launch(release: string): void {
    const { name, logFile, argsOf } = this.#options
    this.#newRun()
    this.#member = startMember(this.#context, { name, args: argsOf(release), logFile }, (event) =>
      this.#on(event),
    )
    this.#board.changeServer(name, { state: 'starting', release, pid: this.pid ?? null })
  }

  /** Throws why it does not become ready; it goes on trying then, because another server may help it. */
  async untilReady(
    signal: AbortSignal,
    onWait: (why: string) => void = (why) => this.#say(why),
  ): Promise<void> {
    const member = this.#member
    const { transport, logFile } = this.#options
    if (!member) return
    try {
      await untilReady({ member, transport, logFile }, { world: this.#context.world, signal }, onWait)
      this.#becomeReady()
    } catch (error) {
      if (!signal.aborted) this.#say(error instanceof Error ? error.message : String(error))
      void this.#followReadiness(member)
      throw error
    }
  }

  /** SIGTERM: the server is unready, finishes its requests, and removes its entries. */
  async stop(hurry?: AbortSignal): Promise<void> {
    this.#run.abort()
    const limit = deadline(this.#context.world.clock, drainMs, hurry)
    this.#board.changeServer(this.name, { state: 'draining' })
    try {
      await this.#member?.stop(limit.signal)
    } finally {
      limit.dispose()
    }
    this.#board.changeServer(this.name, { state: 'stopped', pid: null })
  }

  /** As `kill -9`. Resolves when the board shows that the process has ended; it is started again by itself. */
  async crash(): Promise<void> {
    const { pid } = this.#board.server(this.name)
    this.#member?.signal('SIGKILL')
    await this.#board.until(() => this.#board.server(this.name).pid !== pid, this.#context.signal)
  }

  /** From now on nothing else is done to the server. Its process goes on until `halt`. */
  beginFreeze(): void {
    this.#run.abort()
    this.#board.changeServer(this.name, { state: 'freezing' })
  }

  /** False once the process has ended, or was asked to: then there is nothing to freeze. */
  get isFreezing(): boolean {
    return this.#board.server(this.name).state === 'freezing'
  }

  /** Stops the process. Its state says so only after `markFrozen`: until then the freeze may be taken back. */
  halt(): void {
    this.#member?.signal('SIGSTOP')
    this.#freeze.abort(new TransportError(`${this.name} was frozen`, 'unknown'))
  }

  /** Lets the process go on for a moment, to halt it elsewhere. */
  goOn(): void {
    this.#member?.signal('SIGCONT')
  }

  markFrozen(): void {
    if (this.isFreezing) this.#board.changeServer(this.name, { state: 'frozen' })
  }

  /** It may have been expelled meanwhile: then it is ready once it is registered again. */
  thaw(): void {
    this.#newRun()
    this.#member?.signal('SIGCONT')
    if (this.isFreezing || this.#board.server(this.name).state === 'frozen')
      this.#board.changeServer(this.name, { state: 'starting' })
    if (this.#member) void this.#followReadiness(this.#member)
  }

  /** An answer from before it was frozen, or asked to stop, does not make it ready. */
  #becomeReady(): void {
    if (this.#board.server(this.name).state === 'starting')
      this.#board.changeServer(this.name, { state: 'ready' })
  }

  #newRun(): void {
    this.#run.abort()
    this.#run = new AbortController()
    if (this.#freeze.signal.aborted) this.#freeze = new AbortController()
  }

  #say(message: string): void {
    this.#board.changeServer(this.name, { message })
  }

  #on(event: MemberEvent): void {
    this.#newRun()
    if (event.kind === 'ended') {
      this.#board.changeServer(this.name, { state: 'crashed', pid: null, message: event.why })
      return
    }
    this.#board.changeServer(this.name, { state: 'starting', pid: event.pid })
    if (this.#member) void this.#followReadiness(this.#member)
  }

  async #followReadiness(member: Member): Promise<void> {
    const { signal } = this.#run
    try {
      for await (const outlook of observeReadiness(this.transport, this.#context.world.clock, signal)) {
        if (outlook.kind === 'waits' || outlook.kind === 'never') this.#say(outlook.why)
        if (outlook.kind !== 'ready') continue
        member.markReady()
        this.#becomeReady()
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}
