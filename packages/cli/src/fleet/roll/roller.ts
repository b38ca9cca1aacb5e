import { isSuccess } from '@strata/client'
import { type Clock, deadline, readAll, sleep } from '@strata/world'
import type { CliContext } from '../../context.ts'
import type { FleetServer } from '../processes/fleet-server.ts'
import type { FleetBoard } from '../state/fleet-board.ts'
import type { RollPhase } from '../state/fleet-state.ts'
import { countDone, decideRoll, type Roll } from './decide-roll.ts'

export interface RollOptions {
  readonly oneByOne?: boolean
  /** Defaults to all. */
  readonly servers?: readonly string[]
}

const readyzMs = 3_000
/** How often a server is asked that is not ready. */
const lookAgainMs = 1_000

/** Takes the servers to another release, one after the other, and back. One roll at a time. */
export class Roller {
  readonly #board: FleetBoard
  readonly #servers: readonly FleetServer[]
  readonly #signal: AbortSignal
  readonly #print: (text: string) => void
  readonly #clock: Clock
  #roll: Roll | undefined
  #from = ''
  #running: Promise<void> | undefined
  /** Asked for while the last steps were still being ended. */
  #isWanted = false
  /** Ends the wait for the server that was restarted last. */
  #step = new AbortController()

  constructor(
    { board, servers }: { readonly board: FleetBoard; readonly servers: readonly FleetServer[] },
    { print, signal, world }: Pick<CliContext, 'print' | 'signal' | 'world'>,
  ) {
    this.#board = board
    this.#servers = servers
    this.#signal = signal
    this.#print = print
    this.#clock = world.clock
    signal.addEventListener('abort', () => this.#step.abort(signal.reason), { once: true })
  }

  begin(to: string, { oneByOne = false, servers }: RollOptions = {}): void {
    const taking = this.#board.state.servers.filter(({ name }) => servers?.includes(name) ?? true)
    this.#from = [...new Set(taking.map(({ release }) => release))].join(', ')
    this.#roll = {
      servers: taking.map(({ name }) => name),
      before: Object.fromEntries(taking.map(({ name, release }) => [name, release])),
      ...{ to, oneByOne, direction: 'forward', isPauseWanted: false, restarted: 0 },
    }
    this.#go()
  }

  /** After the server that is being restarted. */
  pause(): void {
    if (this.#roll) this.#roll = { ...this.#roll, isPauseWanted: true }
    this.#show(this.#phase(), 'pauses before the next server')
  }

  /** To the end; with `oneByOne` until the next server is done. */
  resume({ oneByOne = false }: Pick<RollOptions, 'oneByOne'> = {}): void {
    if (this.#roll) this.#roll = { ...this.#roll, oneByOne, isPauseWanted: false, restarted: 0 }
    this.#go()
  }

  /** Also in the middle of a step: a server that does not become ready is not waited for. */
  back(): void {
    if (!this.#roll) return
    this.#roll = { ...this.#roll, direction: 'back', isPauseWanted: false, oneByOne: false, restarted: 0 }
    this.#step.abort(new Error('going back'))
    this.#go()
  }

  /** Resolves when no roll is at work: paused, done or failed. */
  async ended(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  #go(): void {
    if (this.#signal.aborted) return
    this.#show(this.#phase(), 'begins')
    this.#isWanted = true
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#signal.aborted) {
      this.#isWanted = false
      try {
        while (await this.#isGoingOn()) {}
      } catch (error) {
        if (!this.#signal.aborted) this.#show('failed', messageOf(error))
      }
    }
  }

  /** Takes one step. False if the roll has ended or pauses. */
  async #isGoingOn(): Promise<boolean> {
    const roll = this.#roll
    if (!roll) return false
    const { servers } = this.#board.state
    const step = decideRoll(roll, servers)
    switch (step.do) {
      case 'finish':
        this.#show(
          'done',
          roll.direction === 'forward' ? `all run ${roll.to}` : 'all run what they ran before',
        )
        return false
      case 'pause':
        this.#show('paused', step.because)
        return false
      case 'wait': {
        this.#show(this.#phase(), step.because)
        const hasChanged = (): boolean => this.#board.state.servers !== servers || this.#roll !== roll
        await this.#board.until(hasChanged, this.#signal)
        return true
      }
      case 'restart': {
        const away = roll.direction === 'forward' ? await this.#findUnready(step.server) : undefined
        if (away !== undefined) {
          this.#show(this.#phase(), `${away} is not ready`)
          await sleep(this.#clock, lookAgainMs, this.#signal)
          return true
        }
        const failure = await this.#restart(step.server, step.release)
        // A pause, or the way back, may have been asked for meanwhile.
        const now = this.#roll ?? roll
        this.#roll = { ...now, restarted: now.restarted + 1 }
        if (failure === undefined || now.direction !== roll.direction) return true
        this.#show('failed', failure)
        return false
      }
    }
  }

  /**
   * A server that was ready may not be so any more: its KMS or its store may be away. On the way back it is not waited for, because
   * the release that is left may be the reason.
   */
  async #findUnready(except: string): Promise<string | undefined> {
    for (const { name, transport } of this.#servers) {
      if (name === except || this.#board.server(name).state !== 'ready') continue
      const limit = deadline(this.#clock, readyzMs, this.#signal)
      try {
        const answer = await transport({
          method: 'GET',
          target: '/readyz',
          headers: {},
          signal: limit.signal,
        })
        await readAll(answer.body)
        if (!isSuccess(answer)) return name
      } catch {
        this.#signal.throwIfAborted()
        return name
      } finally {
        limit.dispose()
      }
    }
    return undefined
  }

  /** Why it failed. */
  async #restart(name: string, release: string): Promise<string | undefined> {
    const server = this.#servers.find((each) => each.name === name)
    if (!server) return `no server ${name}`
    this.#step = new AbortController()
    const { signal } = this.#step
    if (this.#signal.aborted) this.#step.abort(this.#signal.reason)
    this.#show(this.#phase(), `${name} finishes its requests and leaves`)
    await server.stop()
    if (signal.aborted) return undefined
    this.#show(this.#phase(), `${name} starts with ${release}`)
    server.launch(release)
    try {
      await server.untilReady(signal)
      this.#print(`${name} is ready, with release ${release} (pid ${server.pid})`)
      return undefined
    } catch (error) {
      return signal.aborted ? undefined : messageOf(error)
    }
  }

  #phase(): RollPhase {
    return this.#roll?.direction === 'back' ? 'going-back' : 'running'
  }

  #show(state: RollPhase, message: string): void {
    if (!this.#roll) return
    const { to, direction } = this.#roll
    const counted = countDone(this.#roll, this.#board.state.servers)
    this.#board.change({ roll: { from: this.#from, to, direction, state, ...counted, message } })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
