import { isSuccess } from '@strata/client'
import type { LabServer } from '@strata/rehearsal'
import { deadline, type Transport } from '@strata/world'
import type { CliContext } from '../../context.ts'
import { type Member, startMember } from '../../fleet/processes/member.ts'

const drainMs = 20_000
const lookMs = 2_000

export interface LiveServerOptions {
  readonly number: number
  readonly id: string
  readonly logFile: string
  /** To this server alone. */
  readonly transport: Transport
  /** The arguments of `strata` for a release. */
  readonly argsOf: (release: string) => readonly string[]
}

/** A server in real processes, one after the other. */
export class LiveServer implements LabServer {
  readonly number: number
  readonly id: string
  readonly transport: Transport
  release = ''
  isReady = false
  isLate = false
  readonly #options: LiveServerOptions
  readonly #context: CliContext
  #member: Member | undefined
  #isFrozen: boolean = false
  /** Ends of processes: nothing may be left behind. */
  #ending: Promise<void> = Promise.resolve()

  constructor(options: LiveServerOptions, context: CliContext) {
    this.number = options.number
    this.id = options.id
    this.transport = options.transport
    this.#options = options
    this.#context = context
  }

  get isUp(): boolean {
    return this.#member !== undefined && !this.#isFrozen && !this.isLate
  }

  get state(): LabServer['state'] {
    if (this.isLate) return 'late'
    if (this.#isFrozen) return 'frozen'
    return this.#member === undefined ? 'down' : 'up'
  }

  start(release: string): void {
    const { number, logFile, argsOf } = this.#options
    this.release = release
    this.isReady = false
    this.#member = startMember(this.#context, { name: `server ${number}`, logFile, args: argsOf(release) })
  }

  /** Asks whether it is ready. */
  async look(signal: AbortSignal): Promise<void> {
    if (!this.isUp) return
    const limit = deadline(this.#context.world.clock, lookMs, signal)
    try {
      const asked = { method: 'GET', target: '/readyz', headers: {}, signal: limit.signal }
      this.isReady = isSuccess(await this.transport(asked))
    } catch {
      this.isReady = false
    } finally {
      limit.dispose()
    }
    if (this.isReady) this.#member?.markReady()
  }

  async stop(): Promise<void> {
    await this.#end(drainMs)
  }

  crash(): void {
    this.#ending = this.#end(0)
  }

  /** Waits for the processes that were told to end. */
  async ended(): Promise<void> {
    await this.#ending
  }

  async #end(afterMs: number): Promise<void> {
    const member = this.#member
    this.#member = undefined
    this.#isFrozen = false
    this.isLate = false
    this.isReady = false
    const limit = deadline(this.#context.world.clock, afterMs)
    if (afterMs === 0) member?.signal('SIGKILL')
    await member?.stop(limit.signal)
    limit.dispose()
  }

  freeze(): void {
    if (!this.isUp) return
    this.#member?.signal('SIGSTOP')
    this.#isFrozen = true
  }

  thaw(): void {
    this.#member?.signal('SIGCONT')
    this.#isFrozen = false
  }

  /** A watch of a real process cannot be held from outside: the whole process stops meanwhile. */
  setLate(isLate: boolean): void {
    this.#member?.signal(isLate ? 'SIGSTOP' : 'SIGCONT')
    this.isLate = isLate
  }
}
